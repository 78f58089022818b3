import type { Receipt } from '../../chain/node.ts'
import type { ForwardRequest } from '../forwarder/requests.ts'
import type { SignedTransaction } from '../ledger/port.ts'
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
 * Reads what a passed nonce did and writes it down. The outcome is final at once where being in a
 * block is enough; else the depth is for the alarm to see, which looks at the block once more. False
 * when none of our transactions has a receipt (yet).
 */
export async function settleNonce(
  relayer: Relayer,
  passed: PassedNonce,
  signal: AbortSignal,
): Promise<boolean> {
  const { ledger, log, rules } = relayer
  const receipt = await anyReceipt(relayer, passed.transactions, signal)
  if (receipt === undefined) return false
  const { nonce, session, request } = passed
  const execution =
    request === undefined ? undefined : await executionIn(relayer, receipt, request, signal)
  const { hash, block } = receipt
  logTransitions(log, await ledger.mined({ nonce, session, hash, block, execution }))
  if (session !== undefined && execution !== undefined && rules.confirmations === 1) {
    logTransitions(log, await ledger.confirm(session, execution.block.hash))
  }
  return true
}

async function anyReceipt(
  { node }: Relayer,
  transactions: readonly SignedTransaction[],
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  for (const { hash } of transactions) {
    const receipt = await node.receipt(hash, signal)
    if (receipt !== undefined) return receipt
  }
  return undefined
}
