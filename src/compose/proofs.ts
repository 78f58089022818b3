import type { NodeService } from '../node/service.ts'
import type { ReadProof } from '../operator/route.ts'
import { runWithTimeLimit } from '../runtime/clock.ts'
import type { Config } from './config.ts'
import type { Runtime, Stores } from './runtime.ts'

/** Limits the proofs of a process, since anybody may ask and each proof reads many blocks. */
const maxProofsAMinute = 20
const minuteMs = 60_000
const proofTimeoutMs = 15_000

/** Creates proofs for this relay's transactions only, so that nobody gets free use of the nodes. */
export function assembleProofs(
  { rules }: Config,
  { clock }: Runtime,
  { ledger }: Stores,
  service: NodeService,
): ReadProof {
  let minute = { startedAt: Number.NEGATIVE_INFINITY, requests: 0 }
  return async (hash) => {
    const now = clock.now()
    if (Math.abs(now - minute.startedAt) >= minuteMs) minute = { startedAt: now, requests: 0 }
    minute.requests += 1
    if (minute.requests > maxProofsAMinute) return 'too_many'
    const { payments } = await ledger.readPage({ hash, limit: 1 })
    if (payments.length === 0) return 'unknown'
    const blocksAbove = rules.confirmations - 1
    const prove = (signal: AbortSignal) => service.prove(hash, blocksAbove, signal)
    return runWithTimeLimit(clock, proofTimeoutMs, prove)
  }
}
