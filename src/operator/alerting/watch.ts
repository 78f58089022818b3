import type { AlertNotice, Ledger } from '../../relay/ledger/port.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { KnownCondition } from '../health.ts'
import { type Subject, toIso } from '../records.ts'
import { listAlerts } from './alerts.ts'
import { post, type WebhookOptions } from './webhook.ts'

export type WatchOptions = {
  subject: Subject
  log: Log
  webhook: WebhookOptions | undefined
}

const toldAtATime = 5

/** Raises, clears and sends alerts, each once: the ledger records what is raised. */
export async function watchAlerts(ledger: Ledger, known: KnownCondition, options: WatchOptions) {
  const { subject, log, webhook } = options
  const { alerts, untoldFrom, now } = known.vitals
  const found = listAlerts(known, subject)
  let isDue = untoldFrom !== undefined && untoldFrom <= now
  if (found.length > 0 || alerts.length > 0) {
    const { raised, cleared } = await ledger.alert(found, { isTold: webhook !== undefined })
    isDue ||= raised.length + cleared.length > 0
    for (const { name, says } of raised) {
      log({ level: 'error', event: 'alert.raised', message: says, alert: name })
    }
    for (const { name, calmSince } of cleared) {
      const message = `The alert is over since ${toIso(calmSince ?? now)}: ${name}`
      log({ level: 'info', event: 'alert.cleared', message, alert: name })
    }
  }
  if (webhook === undefined || !isDue) return
  for (const notice of await ledger.takeNotices(toldAtATime)) {
    await tellNotice(options, notice, () => ledger.endNotice(notice.id))
  }
}

/** Posts a notice to the webhook, and ends it once it was accepted. */
export async function tellNotice(
  of: WatchOptions,
  notice: AlertNotice,
  told?: () => Promise<void>,
) {
  try {
    if (of.webhook === undefined) return
    await post(of.webhook, notice, of.subject)
    await told?.()
  } catch (error) {
    of.log({
      level: 'error',
      event: 'alert.untold',
      message: describeFault(error),
      alert: notice.name,
    })
  }
}
