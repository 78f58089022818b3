import { type Address, bytesToHex, type Hex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

export type SessionKeys = ReturnType<typeof createSessionKeys>

/** Creates keyed digests of sessions and typed text; only the secret's owner can compute them. */
export function createSessionKeys(idSecret: Secret) {
  const hash = createKeyedHash(idSecret)
  const digest = (...parts: string[]) => bytesToHex(hash(...parts)).slice(2)
  return {
    /** Computes the digest that names a session and its payment in storage. */
    hashSession: (gateway: string, sessionId: string, account: Address) =>
      digest('session', gateway, sessionId, account),
    hashInput: (session: string, text: string) => digest('input', session, text),
  }
}

/** Derives the key of a session's intent, which nobody can guess without the secret. */
export type IntentKeys = (gateway: string, sessionId: string, account: Address) => Hex

export function createIntentKeys(accountSecret: Secret): IntentKeys {
  const hash = createKeyedHash(accountSecret)
  return (...session) => bytesToHex(hash('intent', ...session))
}

/** Computes what identifies a secret without revealing it. */
export const computeFingerprint = (secret: Secret): string =>
  bytesToHex(createKeyedHash(secret)('fingerprint')).slice(2, 34)
