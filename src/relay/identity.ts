import { type Clock, withTimeLimit } from '../runtime/clock.ts'
import type { GatewayCounts } from './ledger/payments/counts.ts'
import type { Identified, Identity } from './ledger/records/identity.ts'
import type { Ledger } from './ledger/steps.ts'
import type { Relayer } from './relayer.ts'

/** Returns the identity of a ledger's rows: relayer key, forwarder and chain. */
export function getIdentity({
  signer,
  forwarder,
}: Pick<Relayer, 'signer' | 'forwarder'>): Identity {
  return {
    chainId: forwarder.chainId,
    fingerprints: {
      RELAYER_MNEMONIC: signer.address.toLowerCase(),
      FORWARDER_ADDRESS: forwarder.address.toLowerCase(),
    },
  }
}

/** Limits how long the ledger may take: a caller is answered within 8 s. */
const identifyTimeoutMs = 2_000

/** Limits how long a match is trusted: another configuration may have taken over the ledger. */
const matchLifetimeMs = 60_000

/**
 * Checks that the ledger has this identity, and hands over the gateways' counts. A match holds for
 * a minute. A mismatch is checked again each time, so that a corrected setup works at once.
 * @throws {Error} the ledger gave no answer
 */
export function createIdentityCheck(
  ledger: Ledger,
  clock: Clock,
  identity: () => Promise<Identity>,
  takeCounts: () => GatewayCounts | undefined = () => undefined,
): () => Promise<Identified> {
  let matchedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (clock.now() - matchedAt < matchLifetimeMs) return { kind: 'same' }
    // Each delivery asks by itself: a shared request would be cancelled with the delivery that
    // began it.
    const identified = identity().then((expected) => ledger.identify(expected, takeCounts()))
    const answer = await withTimeLimit(clock, identifyTimeoutMs, identified, () => {
      throw new Error('the ledger did not answer which identity it has')
    })
    if (answer.kind === 'same') matchedAt = clock.now()
    return answer
  }
}
