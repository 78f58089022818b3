import type { Identified, Identity, Ledger } from './ledger.ts'

/**
 * Whether this relay has the secrets that the ledger was begun with. A yes is remembered; a no is
 * asked again, so that a mended configuration works at once.
 */
export function createIdentityCheck(
  ledger: Ledger,
  identity: () => Promise<Identity>,
): () => Promise<Identified> {
  let same: Promise<Identified> | undefined
  return async () => {
    same ??= identity().then((own) => ledger.identify(own))
    const current = same
    try {
      const answer = await current
      if (answer.kind !== 'same') same = undefined
      return answer
    } catch (error) {
      if (same === current) same = undefined
      throw error
    }
  }
}
