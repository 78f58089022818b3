import { type Address, bytesToHex, type Hex } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

export type SessionKeys = ReturnType<typeof createSessionKeys>

/** Names sessions and what is typed in them by digests that only the secret's holder can make. */
export function createSessionKeys(idSecret: Secret) {
  const hash = createKeyedHash(idSecret)
  const digest = async (...parts: string[]) => bytesToHex(await hash(...parts)).slice(2)
  return {
    /** Gives the key of a payment: the same gateway, session and account, the same key. */
    session: (gateway: string, sessionId: string, account: Address) =>
      digest('session', gateway, sessionId, account),
    input: (session: string, text: string) => digest('input', session, text),
  }
}

/** Makes an intent's 32 bytes, the same for ever. Nobody can guess them without the secret. */
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
