import type { AlertNotice, Ledger } from '../../relay/ledger/port.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import type { KnownCondition } from '../health.ts'
import { type Deployment, toIso } from '../records.ts'
import { findAlerts } from './alerts.ts'
import { postNotice, type WebhookOptions } from './webhook.ts'

export type WatchOptions = {
  deployment: Deployment
  log: Log
  webhook: WebhookOptions | undefined
}

const noticesAtATime = 5

/** Raises, clears and sends alerts, each once, because the ledger records raised alerts. */
export async function watchAlerts(
  ledger: Ledger,
  condition: KnownCondition,
  options: WatchOptions,
) {
  const { deployment, log, webhook } = options
  const { alerts, untoldFrom, now } = condition.vitals
  const found = findAlerts(condition, deployment)
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
  for (const notice of await ledger.takeNotices(noticesAtATime)) {
    await sendNotice(options, notice, () => ledger.endNotice(notice.id))
  }
}

/** Posts a notice to the webhook; calls `onAccepted` once the receiver has accepted it. */
export async function sendNotice(
  options: WatchOptions,
  notice: AlertNotice,
  onAccepted?: () => Promise<void>,
) {
  try {
    if (options.webhook === undefined) return
    await postNotice(options.webhook, notice, options.deployment)
    await onAccepted?.()
  } catch (error) {
    options.log({
      level: 'error',
      event: 'alert.untold',
      message: describeFault(error),
      alert: notice.name,
    })
  }
}
