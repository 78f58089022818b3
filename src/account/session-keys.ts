import { type Address, bytesToHex, type Hex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

export type SessionKeys = ReturnType<typeof createSessionKeys>

/** Creates digests for sessions and typed text, which only the secret's holder can compute. */
export function createSessionKeys(idSecret: Secret) {
  const hash = createKeyedHash(idSecret)
  const digest = async (...parts: string[]) => bytesToHex(await hash(...parts)).slice(2)
  return {
    /** Returns a payment's key, which depends on gateway, session and account alone. */
    session: (gateway: string, sessionId: string, account: Address) =>
      digest('session', gateway, sessionId, account),
    input: (session: string, text: string) => digest('input', session, text),
  }
}

/** Derives an intent's 32 bytes, always the same. Nobody can guess them without the secret. */
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
