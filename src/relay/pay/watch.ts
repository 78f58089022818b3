import type { Sending } from '../ledger/port.ts'
import { readMinedReport, settle } from '../outcome/settle.ts'
import type { Relayer } from '../relayer.ts'

/** Ends before the 30 s that a Worker lives after its reply; then the alarm takes over. */
const watchMs = 25_000

const receiptTimeoutMs = 5_000

/** Polls for a transaction's receipt while its Worker lives, and settles all that it carries. */
export async function watchReceipt(
  relayer: Relayer,
  { nonce, transaction, requests }: Sending,
): Promise<void> {
  const { rules, clock } = relayer
  const until = clock.now() + watchMs
  while (clock.now() + rules.pollMs <= until) {
    await clock.sleep(rules.pollMs)
    const passed = { nonce, sessions: [...requests.keys()], transactions: [transaction], requests }
    const report = await readMinedReport(relayer, passed, clock.timeout(receiptTimeoutMs))
    if (report !== undefined) return settle(relayer, report)
  }
}
