import type { ForwardRequest } from '../forwarder/requests.ts'
import type { SignedTransaction } from '../ledger/port.ts'
import { readPassed, settle } from '../outcome/settle.ts'
import type { Relayer } from '../relayer.ts'

/** A Worker lives on for 30 s after its reply; what is not in a block by then is the alarm's. */
const watchMs = 25_000

const receiptTimeoutMs = 5_000

/** Polls for the receipt of one payment while its request lives. */
export async function watchReceipt(
  relayer: Relayer,
  session: string,
  request: ForwardRequest,
  transaction: SignedTransaction & { nonce: number },
): Promise<void> {
  const { rules, clock } = relayer
  const until = clock.now() + watchMs
  while (clock.now() + rules.pollMs <= until) {
    await clock.sleep(rules.pollMs)
    const passed = {
      nonce: transaction.nonce,
      sessions: [session],
      transactions: [transaction],
      requests: new Map([[session, request]]),
    }
    const report = await readPassed(relayer, passed, clock.timeout(receiptTimeoutMs))
    if (report !== undefined) return settle(relayer, report)
  }
}
