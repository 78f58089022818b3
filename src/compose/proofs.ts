import type { NodeService } from '../node/service.ts'
import type { ReadProof } from '../operator/route.ts'
import { runWithTimeLimit } from '../runtime/time-limit.ts'
import type { Config } from './config.ts'
import type { Runtime, Stores } from './runtime.ts'

/** Limits lookups per process, since anyone may ask and each proof reads many blocks. */
const mostAMinute = 20
const minuteMs = 60_000
const proofWithinMs = 15_000

/** Creates proofs for this relay's transactions only, so that nobody gets free use of the nodes. */
export function assembleProofs(
  { rules }: Config,
  { clock }: Runtime,
  { ledger }: Stores,
  service: NodeService,
): ReadProof {
  let minute = { since: Number.NEGATIVE_INFINITY, asked: 0 }
  return async (hash) => {
    const now = clock.now()
    if (Math.abs(now - minute.since) >= minuteMs) minute = { since: now, asked: 0 }
    minute.asked += 1
    if (minute.asked > mostAMinute) return 'too_many'
    const { payments } = await ledger.readPage({ hash, limit: 1 })
    if (payments.length === 0) return 'unknown'
    const above = rules.confirmations - 1
    return runWithTimeLimit(clock, proofWithinMs, (signal) => service.prove(hash, above, signal))
  }
}
