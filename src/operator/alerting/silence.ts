import type { Clock } from '../../runtime/clock.ts'
import { faultOf, type Log } from '../../runtime/log.ts'
import type { Subject } from '../records.ts'
import { messageOf, post, type WebhookOptions } from './webhook.ts'

/** A ledger that gives no answer for so long is silent, and not only slow. */
const sureMs = 5_000
/** Processes that tell of a silence within the same hour tell it by the same id. */
const sharedMs = 60 * 60 * 1000

/** The name of the one alert that no ledger keeps. */
const name = 'ledger_silent'

const says =
  'The ledger gives no answer, and no payment is taken meanwhile. Look at the Durable Object, or at Redis; where its rows are torn, set it back or restore the last export.'

export type SilenceOptions = {
  subject: Pick<Subject, 'chain' | 'relayer'>
  clock: Clock
  log: Log
  /** Undefined: it is logged alone. */
  webhook: WebhookOptions | undefined
}

/**
 * Tells of a ledger that gives no answer, and of its first answer afterwards. What tells of all else is
 * kept in the ledger: here each process knows for itself, so that several may tell, by the same ids.
 */
export function createSilence({ subject, clock, log, webhook }: SilenceOptions) {
  let since: number | undefined
  let raisedAt: number | undefined

  async function tell(state: 'raised' | 'cleared', at: number): Promise<void> {
    const id = `${name}:${at - (at % sharedMs)}:${state}`
    const notice = { id, name, kind: state, says, raisedAt: at, at: clock.now() }
    const { chain, relayer } = subject
    try {
      if (webhook === undefined) return
      await post(webhook, messageOf(notice, { chainId: chain.id, relayer: relayer() }))
    } catch (error) {
      log({ level: 'error', event: 'alert.untold', message: faultOf(error), alert: name })
    }
  }

  return {
    /** Whether it was told, and its end was not. */
    isTold: () => raisedAt !== undefined,
    /** Each look at the ledger: whether it gave an answer. */
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
