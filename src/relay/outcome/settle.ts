import type { ForwardRequest } from '../forwarder/requests.ts'
import type { MinedReport, SignedTransaction } from '../ledger/port.ts'
import type { Relayer } from '../relayer.ts'
import { executionIn } from './executions.ts'
import { logTransitions } from './log-transitions.ts'

/** A nonce that the chain has passed, and what we recorded for it. */
export type PassedNonce = {
  nonce: number
  /** The session that it was recorded for. */
  session: string | undefined
  transactions: readonly SignedTransaction[]
  /** Of the payment that it carries, if any. */
  request: ForwardRequest | undefined
}

/**
 * What a passed nonce did. Undefined when none of our transactions has a receipt (yet).
 *
 * @throws {TransportError} the node did not answer, or shows a part only
 */
export async function readPassed(
  relayer: Relayer,
  { nonce, session, transactions, request }: PassedNonce,
  signal: AbortSignal,
): Promise<MinedReport | undefined> {
  for (const transaction of transactions) {
    const receipt = await relayer.node.receipt(transaction.hash, signal)
    if (receipt === undefined) continue
    const execution = request && (await executionIn(relayer, { ...transaction, receipt }, request))
    return { nonce, session, hash: receipt.hash, block: receipt.block, execution }
  }
  return undefined
}

/**
 * Writes down what a passed nonce did. The outcome is final at once where being in a block is enough;
 * else the depth is for the alarm to see, which looks at the block once more.
 */
export async function settle({ ledger, log, rules }: Relayer, report: MinedReport): Promise<void> {
  const { session, execution } = report
  logTransitions(log, await ledger.mined(report))
  if (session !== undefined && execution !== undefined && rules.confirmations === 1) {
    logTransitions(log, await ledger.confirm(session, execution.block.hash))
  }
}
