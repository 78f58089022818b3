import type { Clock } from '../runtime/clock.ts'
import type { GatewayCounts, Identified, Identity, Ledger } from './ledger/port.ts'
import type { Relayer } from './relayer.ts'

/** Returns what a ledger's rows belong to: this key, and this forwarder on this chain. */
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
const identifiedWithinMs = 2_000

/** Limits how long a yes is kept: then another configuration may have moved an idle ledger. */
const rememberedMs = 60_000

/**
 * Checks whose ledger it is, a no each time: a mended setup works at once. Once a minute it asks,
 * and hands over what gateways have sent. @throws {Error}
 */
export function createIdentityCheck(
  ledger: Ledger,
  clock: Clock,
  identity: () => Promise<Identity>,
  takeCounts: () => GatewayCounts | undefined = () => undefined,
): () => Promise<Identified> {
  let askedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (clock.now() - askedAt < rememberedMs) return { kind: 'same' }
    // Each delivery asks for itself: a shared question would be cancelled with the one that asked
    // it.
    const done = new AbortController()
    try {
      const answer = await Promise.race([
        identity().then((own) => ledger.identify(own, takeCounts())),
        clock.sleep(identifiedWithinMs, done.signal).then(() => undefined),
      ])
      if (answer === undefined) throw new Error('the ledger did not say whose it is')
      if (answer.kind === 'same') askedAt = clock.now()
      return answer
    } finally {
      done.abort()
    }
  }
}
