import { type Address, bytesToHex, type Hex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

export type SessionKeys = ReturnType<typeof createSessionKeys>

/** Creates digests of sessions and typed text, which nobody can compute without the secret. */
export function createSessionKeys(idSecret: Secret) {
  const hash = createKeyedHash(idSecret)
  const digest = async (...parts: string[]) => bytesToHex(await hash(...parts)).slice(2)
  return {
    /** Returns the key of a session and of its payment. */
    session: (gateway: string, sessionId: string, account: Address) =>
      digest('session', gateway, sessionId, account),
    input: (session: string, text: string) => digest('input', session, text),
  }
}

/** Derives the intent of a session, which nobody can guess without the secret. */
export type IntentKeys = (gateway: string, sessionId: string, account: Address) => Promise<Hex>

export function createIntentKeys(accountSecret: Secret): IntentKeys {
  const hash = createKeyedHash(accountSecret)
  return async (...session) => bytesToHex(await hash('intent', ...session))
}

/** Identifies a secret without revealing it. */
export async function fingerprint(secret: Secret): Promise<string> {
  const digest = await createKeyedHash(secret)('fingerprint')
  return bytesToHex(digest).slice(2, 34)
}
