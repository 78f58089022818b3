import type { Clock } from '../../runtime/clock.ts'
import { describeSilence, type LedgerStore } from '../health.ts'
import { remedies } from '../remedies.ts'
import { sendNotice, type WatchOptions } from './watch.ts'

/** Sets how long a ledger must give no answer to count as silent. */
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
