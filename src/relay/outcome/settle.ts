import type { SignedRequest } from '../forwarder/requests.ts'
import type { MinedReport } from '../ledger/carrying.ts'
import type { SignedTransaction } from '../ledger/values.ts'
import type { Relayer } from '../relayer.ts'
import { readExecutions } from './executions.ts'

/** Describes a nonce that the chain has passed, and what we recorded for it. */
export type PassedNonce = {
  nonce: number
  /** Names the sessions that it was recorded for. */
  sessions: readonly string[]
  transactions: readonly SignedTransaction[]
  /** Maps the session of each payment that it carries to its request. */
  requests: ReadonlyMap<string, SignedRequest>
}

/** Reads what a passed nonce did, if there is a receipt. @throws {TransportError} no answer */
export async function readMinedReport(
  relayer: Relayer,
  { nonce, sessions, transactions, requests }: PassedNonce,
  signal: AbortSignal,
): Promise<MinedReport | undefined> {
  for (const transaction of transactions) {
    const receipt = await relayer.node.getReceipt(transaction.hash, signal)
    if (receipt === undefined) continue
    const mined = { ...transaction, receipt }
    const executions = await readExecutions(relayer, mined, requests)
    // An outcome that needs a proof is made final by a round.
    const isFinal = relayer.rules.confirmations <= 1 && relayer.proofs === undefined
    const { hash, block } = receipt
    return { nonce, sessions, hash, block, executions, isFinal }
  }
  return undefined
}
