import { withTimeLimit } from '../../runtime/clock.ts'
import { describeFault } from '../../runtime/log.ts'
import type { Traces } from '../ledger/records/possible-loss.ts'
import type { Screen, StepKey } from '../ledger/values.ts'
import { type IntentName, readIsSpent } from '../outcome/spent.ts'
import { isSilentOnPayments } from '../refusal.ts'
import type { Relayer } from '../relayer.ts'
import {
  answerWithinMs,
  type PaymentAnswer,
  readKnownAnswer,
  retryLedgerCall,
  toAnswer,
} from './answers.ts'

/** Describes the end of a session that pays nothing. */
export type SessionEnd = {
  /** Tells when the delivery arrived (Unix time in ms). */
  since: number
  stepKey: StepKey
  /** Counts the answers that the caller has given. */
  answerCount: number
  /** Says that nothing was sent. It is shown only if that is true. */
  screen: Screen
  /** Names why nothing is paid. It is undefined if no payment was asked for. */
  reason?: string | undefined
  /** Returns the intent that a payment of this session has. */
  deriveIntent: () => Promise<IntentName>
}

/** Limits how long the node may take to show whether rows were lost. */
const nodeTimeoutMs = 2_000

export type EndSession = (end: SessionEnd) => Promise<PaymentAnswer>

/** Creates the function that ends sessions in the ledger, so that no later delivery can pay. */
export function createEndSession(relayer: Relayer): EndSession {
  const { ledger, node, signer, clock, log } = relayer
  /** Reads what the chain shows of rows that the ledger may have lost. */
  async function readTraces({ deriveIntent }: SessionEnd): Promise<Traces | undefined> {
    try {
      const signal = clock.timeout(nodeTimeoutMs)
      const read = (block: 'latest' | 'pending') =>
        node.getTransactionCount(signer.address, signal, block)
      const intent = await deriveIntent()
      const [chain, pool, spent] = await Promise.all([
        read('latest'),
        read('pending'),
        readIsSpent(relayer, intent),
      ])
      return { chain, pool, relayer: signer.address.toLowerCase(), ...spent }
    } catch (error) {
      log({ level: 'warn', event: 'end.unread', message: describeFault(error) })
      return undefined
    }
  }

  async function refuse(end: SessionEnd, answerBy: number): Promise<PaymentAnswer> {
    const { screen, stepKey, answerCount, reason } = end
    const traces = isSilentOnPayments(reason) ? undefined : await readTraces(end)
    if (clock.now() >= answerBy) return { kind: 'uncertain' }
    const refused = await retryLedgerCall(clock, () =>
      ledger.refuse({ ...stepKey, answerCount, screen, reason, traces }),
    )
    if (refused.kind === 'refused') return { kind: 'screen', screen }
    return refused.kind === 'unsure' ? { kind: 'uncertain' } : toAnswer(refused)
  }

  return async (end) => {
    const answerBy = end.since + answerWithinMs
    const answer = refuse(end, answerBy).catch((error) => {
      log({ level: 'error', event: 'end.failed', message: describeFault(error) })
      return readKnownAnswer(ledger, end.stepKey)
    })
    const leftMs = answerBy - clock.now()
    return await withTimeLimit(clock, leftMs, answer, () => ({ kind: 'uncertain' }))
  }
}
