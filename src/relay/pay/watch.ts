import type { ForwardRequest } from '../forwarder/requests.ts'
import type { SignedTransaction } from '../ledger/port.ts'
import { readPassed, settle } from '../outcome/settle.ts'
import type { ChainCache, Relayer } from '../relayer.ts'

/** A Worker lives on for 30 s after its reply; what is not in a block by then is the alarm's. */
const watchMs = 25_000

const receiptTimeoutMs = 5_000

/**
 * Polls for the receipt of one payment while its request lives. The account's transaction count,
 * shared by all payments of this Worker, tells when a receipt is worth asking for.
 */
export async function watch(
  relayer: Relayer,
  chain: ChainCache,
  session: string,
  request: ForwardRequest,
  transaction: SignedTransaction & { nonce: number },
): Promise<void> {
  const { rules, clock } = relayer
  const until = clock.now() + watchMs
  while (clock.now() < until) {
    await clock.sleep(rules.pollMs)
    if ((await chain.transactionCount()) <= transaction.nonce) continue
    const passed = { nonce: transaction.nonce, session, transactions: [transaction], request }
    const report = await readPassed(relayer, passed, clock.timeout(receiptTimeoutMs))
    if (report !== undefined) return settle(relayer, report)
  }
}
