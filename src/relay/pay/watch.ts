import type { TransactionToSend } from '../ledger/acceptance.ts'
import { readMinedReport } from '../outcome/executions.ts'
import { logTransitions } from '../outcome/log-transitions.ts'
import type { Relayer } from '../relayer.ts'

/** Limits the watch to the time that a Worker lives after its reply, 30 s. Then rounds go on. */
const maxWatchMs = 25_000

const receiptTimeoutMs = 5_000

/**
 * Polls for a transaction's receipt, and records what became of the payments that it carries.
 * Rounds check its block again until that is final.
 */
export async function watchReceipt(
  relayer: Relayer,
  { nonce, transaction, requests }: TransactionToSend,
): Promise<void> {
  const { ledger, rules, clock, log } = relayer
  const watched = { nonce, sessions: [...requests.keys()], transactions: [transaction], requests }
  const endsAt = clock.now() + maxWatchMs
  while (clock.now() + rules.pollMs <= endsAt) {
    await clock.sleep(rules.pollMs)
    const report = await readMinedReport(relayer, watched, clock.timeout(receiptTimeoutMs))
    if (report !== undefined) return logTransitions(log, await ledger.recordMined(report))
  }
}
