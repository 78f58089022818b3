import type { Clock } from '../../runtime/clock.ts'
import { describeSilence, type LedgerStore } from '../health.ts'
import { remedies } from '../remedies.ts'
import { tellNotice, type WatchOptions } from './watch.ts'

/** Calls a ledger silent after this long without an answer. */
const sureMs = 5_000
/** Sets the time within which processes report a silence under one id. */
const sharedMs = 60 * 60 * 1000

/** Names the one alert that the ledger cannot store. */
const name = 'ledger_silent'

export type SilenceOptions = WatchOptions & { clock: Clock; store: LedgerStore }

/** Creates the report of a silent ledger and of its first answer afterwards. */
export function createSilence(options: SilenceOptions) {
  const { clock, log } = options
  const says = `${describeSilence(options.store)}. ${remedies.ledger}`
  let since: number | undefined
  let raisedAt: number | undefined

  async function tell(kind: 'raised' | 'cleared', at: number): Promise<void> {
    const id = `${name}:${at - (at % sharedMs)}:${kind}`
    await tellNotice(options, { id, name, kind, says, raisedAt: at, at: clock.now() })
  }

  return {
    isTold: () => raisedAt !== undefined,
    async note(isAnswering: boolean): Promise<void> {
      const now = clock.now()
      if (isAnswering) {
        const at = raisedAt
        since = undefined
        raisedAt = undefined
        if (at !== undefined) await tell('cleared', at)
        return
      }
      since ??= now
      if (raisedAt !== undefined || now - since < sureMs) return
      raisedAt = now
      log({ level: 'error', event: 'alert.raised', message: says, alert: name })
      await tell('raised', now)
    },
  }
}
