import type { Clock } from '../runtime/clock.ts'
import type { Identified, Identity, Ledger } from './ledger/port.ts'
import type { Relayer } from './relayer.ts'

/** What a ledger's rows are good for: bytes of this key, requests to this forwarder on this chain. */
export function identityOf({ signer, forwarder }: Pick<Relayer, 'signer' | 'forwarder'>): Identity {
  return {
    chainId: forwarder.chainId,
    fingerprints: {
      RELAYER_MNEMONIC: signer.address.toLowerCase(),
      FORWARDER_ADDRESS: forwarder.address.toLowerCase(),
    },
  }
}

/** How long the ledger may take to say so: a caller is answered within 8 s, and nothing has begun yet. */
const identifiedWithinMs = 2_000

/** After that a process with another configuration may have moved the ledger, where nothing was open. */
const rememberedMs = 60_000

/**
 * Checks whether this relay has the secrets that the ledger was begun with. A yes is remembered for a minute; a
 * no is asked again, so that a mended configuration works at once. Throws where the ledger does not answer.
 */
export function createIdentityCheck(
  ledger: Ledger,
  clock: Clock,
  identity: () => Promise<Identity>,
): () => Promise<Identified> {
  let askedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (clock.now() - askedAt < rememberedMs) return { kind: 'same' }
    // Each delivery asks for itself: a shared question is cancelled with the delivery that asked it.
    const done = new AbortController()
    try {
      const answer = await Promise.race([
        identity().then((own) => ledger.identify(own)),
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
