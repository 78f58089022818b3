import type { Hex } from 'viem'
import type { Receipt } from '../chain/node.ts'
import { executionIn } from './executions.ts'
import type { SignedTransaction } from './ledger.ts'
import type { Relayer } from './relayer.ts'
import { logTransitions } from './transitions.ts'

/** A nonce that the chain has passed, and what we recorded for it. */
export type PassedNonce = {
  nonce: number
  /** The session that it was recorded for. */
  session: string | undefined
  transactions: readonly SignedTransaction[]
  /** Of the payment that it carries, if any. */
  intentId: Hex | undefined
}

/**
 * Reads what a passed nonce did and writes it down; the outcome is final at once where the chain's
 * confirmations are reached. False when none of our transactions has a receipt (yet).
 */
export async function settleNonce(
  relayer: Relayer,
  passed: PassedNonce,
  headNumber: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { ledger, log, rules } = relayer
  const receipt = await anyReceipt(relayer, passed.transactions, signal)
  if (receipt === undefined) return false
  const execution =
    passed.intentId === undefined
      ? undefined
      : await executionIn(relayer, receipt, passed.intentId, signal)
  const { nonce, session } = passed
  const { hash, block } = receipt
  logTransitions(log, await ledger.mined({ nonce, session, hash, block, execution }))
  if (session !== undefined && execution !== undefined) {
    const depth = Math.max(headNumber, block.number) - execution.block.number + 1
    if (depth >= rules.confirmations) {
      logTransitions(log, await ledger.confirm(session, execution.block.hash))
    }
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
