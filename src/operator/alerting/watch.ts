import type { Clock } from '../../runtime/clock.ts'
import { type Log, tryOrLog } from '../../runtime/log.ts'
import { describeSilence, type KnownHealthData, type LedgerStore } from '../health.ts'
import type { AlertNotice } from '../kept/alerts.ts'
import type { WholeLedger } from '../kept/steps.ts'
import { type Deployment, toIso } from '../records.ts'
import { remedies } from '../remedies.ts'
import { findAlerts } from './alerts.ts'
import { postNotice, type WebhookOptions } from './webhook.ts'

export type WatchOptions = { deployment: Deployment; log: Log; webhook: WebhookOptions | undefined }

const maxNoticesAtOnce = 5

/** Raises, clears and sends alerts. Each happens once, because the ledger records alerts. */
export async function updateAlerts(
  ledger: WholeLedger,
  healthData: KnownHealthData,
  options: WatchOptions,
) {
  const { deployment, log, webhook } = options
  const { alerts, nextNoticeAt, now } = healthData.vitals
  const causes = findAlerts(healthData, deployment)
  let hasDueNotices = nextNoticeAt !== undefined && nextNoticeAt <= now
  if (causes.length > 0 || alerts.length > 0) {
    const mustNotify = webhook !== undefined
    const { raised, cleared } = await ledger.recordAlerts(causes, { mustNotify })
    hasDueNotices ||= raised.length + cleared.length > 0
    for (const { name, says } of raised) {
      log({ level: 'error', event: 'alert.raised', message: says, alert: name })
    }
    for (const { name, calmSince } of cleared) {
      const message = `The cause of the alert ended at ${toIso(calmSince ?? now)}: ${name}`
      log({ level: 'info', event: 'alert.cleared', message, alert: name })
    }
  }
  if (webhook === undefined || !hasDueNotices) return
  for (const notice of await ledger.takeNotices(maxNoticesAtOnce)) {
    await sendNotice(options, notice, () => ledger.deleteNotice(notice.id))
  }
}

/** Posts a notice to the webhook, and calls `onAccepted` after the receiver has accepted it. */
export async function sendNotice(
  options: WatchOptions,
  notice: AlertNotice,
  onAccepted?: () => Promise<void>,
) {
  const { webhook, deployment, log } = options
  const untold = { level: 'error', event: 'alert.untold', alert: notice.name } as const
  await tryOrLog(log, untold, async () => {
    if (webhook === undefined) return
    await postNotice(webhook, notice, deployment)
    await onAccepted?.()
  })
}

const silentAfterMs = 5_000
/** Sets the window in which all processes report a silence under one id, as one alert. */
const noticeWindowMs = 60 * 60 * 1000

/** The only alert that the ledger cannot store. */
const name = 'ledger_silent'

export type SilenceAlertOptions = WatchOptions & { clock: Clock; store: LedgerStore }

/** Creates the alert of a silent ledger, which ends with the ledger's next answer. */
export function createSilenceAlert(options: SilenceAlertOptions) {
  const { clock, log } = options
  const says = `${describeSilence(options.store)}. ${remedies.ledger}`
  let silentSince: number | undefined
  let raisedAt: number | undefined

  async function sendAlert(kind: 'raised' | 'cleared', at: number): Promise<void> {
    const id = `${name}:${at - (at % noticeWindowMs)}:${kind}`
    await sendNotice(options, { id, name, kind, says, raisedAt: at, at: clock.now() })
  }

  return {
    isRaised: () => raisedAt !== undefined,
    async recordAnswer(hasAnswered: boolean): Promise<void> {
      const now = clock.now()
      if (hasAnswered) {
        const endedAlertAt = raisedAt
        silentSince = undefined
        raisedAt = undefined
        if (endedAlertAt !== undefined) await sendAlert('cleared', endedAlertAt)
        return
      }
      silentSince ??= now
      if (raisedAt !== undefined || now - silentSince < silentAfterMs) return
      raisedAt = now
      log({ level: 'error', event: 'alert.raised', message: says, alert: name })
      await sendAlert('raised', now)
    },
  }
}
