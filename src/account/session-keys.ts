import { type Address, bytesToHex, type Hex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

/** Names sessions and what is typed in them by digests that only the secret's holder can make. */
export type SessionKeys = {
  /** The key of a payment: the same gateway, session and account, the same key. */
  session(gateway: string, sessionId: string, account: Address): Promise<string>
  /** What was typed, comparable within its session only. */
  input(session: string, text: string): Promise<string>
}

export function createSessionKeys(idSecret: Secret): SessionKeys {
  const hash = createKeyedHash(idSecret)
  const digest = async (...parts: string[]) => bytesToHex(await hash(...parts)).slice(2)
  return {
    session: (gateway, sessionId, account) => digest('session', gateway, sessionId, account),
    input: (session, text) => digest('input', session, text),
  }
}

/**
 * Makes the 32 bytes that an intent's id is made of, the same for a gateway's session of an account for
 * ever, whatever storage is lost. Ids are public, and a gateway's session ids can be guessed: without
 * the accounts' secret nobody can tell which session a guessed id belongs to.
 */
export type IntentKeys = (gateway: string, sessionId: string, account: Address) => Promise<Hex>

export function createIntentKeys(accountSecret: Secret): IntentKeys {
  const hash = createKeyedHash(accountSecret)
  return async (...session) => bytesToHex(await hash('intent', ...session))
}

/** Tells one secret from another without telling the secret. */
export async function fingerprint(secret: Secret): Promise<string> {
  const digest = await createKeyedHash(secret)('fingerprint')
  return bytesToHex(digest).slice(2, 34)
}
