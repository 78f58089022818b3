import type { ForwardRequest } from '../forwarder/requests.ts'
import type { MinedReport, SignedTransaction } from '../ledger/port.ts'
import type { Relayer } from '../relayer.ts'
import { executionsIn } from './executions.ts'
import { logTransitions } from './log-transitions.ts'

/** A nonce that the chain has passed, and what we recorded for it. */
export type PassedNonce = {
  nonce: number
  /** The sessions whose payments it was recorded for. */
  sessions: readonly string[]
  transactions: readonly SignedTransaction[]
  /** Of the payments that it carries, by their session. */
  requests: ReadonlyMap<string, ForwardRequest>
}

/**
 * Reads what a passed nonce did. Undefined when none of our transactions has a receipt (yet).
 *
 * @throws {TransportError} the node did not answer, or shows a part only
 */
export async function readPassed(
  relayer: Relayer,
  { nonce, sessions, transactions, requests }: PassedNonce,
  signal: AbortSignal,
): Promise<MinedReport | undefined> {
  for (const transaction of transactions) {
    const receipt = await relayer.node.receipt(transaction.hash, signal)
    if (receipt === undefined) continue
    const mined = { ...transaction, receipt }
    const executions = await executionsIn(relayer, mined, requests)
    const isFinal = relayer.rules.confirmations <= 1
    const { hash, block } = receipt
    return { nonce, sessions, hash, block, executions, isFinal }
  }
  return undefined
}

/** Writes down what a passed nonce did. Where it is not final at once, the alarm looks at the block once more. */
export async function settle({ ledger, log }: Relayer, report: MinedReport): Promise<void> {
  logTransitions(log, await ledger.mined(report))
}
