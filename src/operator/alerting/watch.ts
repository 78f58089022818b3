import type { Ledger, Vitals } from '../../relay/ledger/port.ts'
import { faultOf, type Log } from '../../runtime/log.ts'
import type { Condition } from '../health.ts'
import type { Subject } from '../records.ts'
import { isoOf } from '../records.ts'
import { alertsOf } from './alerts.ts'
import { messageOf, post, type WebhookOptions } from './webhook.ts'

export type WatchOptions = {
  subject: Subject
  log: Log
  /** Undefined: alerts are logged alone. */
  webhook: WebhookOptions | undefined
}

/** Notices that are told in one go. */
const toldAtATime = 5

/**
 * Raises and clears alerts by what is known, and tells of each once. Safe to run by several at a time:
 * the ledger knows what is raised, and who tells.
 */
export async function watchAlerts(
  ledger: Ledger,
  known: Condition & { vitals: Vitals },
  options: WatchOptions,
): Promise<void> {
  const { subject, log, webhook } = options
  const { alerts, untoldFrom, now } = known.vitals
  const found = alertsOf(known, subject)
  let isDue = untoldFrom !== undefined && untoldFrom <= now
  if (found.length > 0 || alerts.length > 0) {
    const { raised, cleared } = await ledger.alert(found, { isTold: webhook !== undefined })
    isDue ||= raised.length + cleared.length > 0
    for (const { name, says } of raised) {
      log({ level: 'error', event: 'alert.raised', message: says, alert: name })
    }
    for (const { name, calmSince } of cleared) {
      log({
        level: 'info',
        event: 'alert.cleared',
        message: `The alert is over since ${isoOf(calmSince ?? now)}: ${name}`,
        alert: name,
      })
    }
  }
  if (webhook !== undefined && isDue) await tell(ledger, { ...options, webhook })
}

async function tell(
  ledger: Ledger,
  { subject, log, webhook }: WatchOptions & { webhook: WebhookOptions },
): Promise<void> {
  const { chain, relayer } = subject
  for (const notice of await ledger.takeNotices(toldAtATime)) {
    try {
      await post(webhook, messageOf(notice, { chainId: chain.id, relayer: relayer() }))
      await ledger.told(notice.id)
    } catch (error) {
      log({ level: 'error', event: 'alert.untold', message: faultOf(error), alert: notice.name })
    }
  }
}
