import { createHmac } from 'node:crypto'
import { type Address, bytesToHex, type Hex, hexToBytes, stringToBytes } from 'viem'

export type Secret = Hex

/** Computes the HMAC-SHA-256 (RFC 2104) of parts; different lists never hash as one message. */
export type KeyedHash = (...parts: readonly string[]) => Uint8Array<ArrayBuffer>

/** Creates a hash that answers at once: `crypto.subtle` costs an event-loop turn per message. */
export function createKeyedHash(secret: Secret): KeyedHash {
  const key = hexToBytes(secret)
  return (...parts) => {
    const message = parts.map((part) => `${part.length}:${part}`).join('')
    return new Uint8Array(createHmac('sha256', key).update(stringToBytes(message)).digest())
  }
}

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

export const computeFingerprint = (secret: Secret): string =>
  bytesToHex(createKeyedHash(secret)('fingerprint')).slice(2, 34)

/** Fixes the length of a random nonce: one key may seal 2^32 texts (NIST SP 800-38D). */
const nonceBytes = 12

const uses = ['encrypt', 'decrypt'] as const

export type Seal = ReturnType<typeof createSeal>

/** Creates a cipher (AES-256-GCM). A text can only be decrypted for its purpose and context. */
export function createSeal(secret: Secret, purpose: string) {
  const hash = createKeyedHash(secret)
  const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text))
  const importKey = async () =>
    crypto.subtle.importKey('raw', hash('seal', purpose), 'AES-GCM', false, [...uses])
  let key: ReturnType<typeof importKey> | undefined
  const createAlgorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encode(context),
  })

  return {
    async encrypt(text: string, context: string): Promise<Hex> {
      key ??= importKey()
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const algorithm = createAlgorithm(nonce, context)
      const ciphertext = await crypto.subtle.encrypt(algorithm, await key, encode(text))
      return `${bytesToHex(nonce)}${bytesToHex(new Uint8Array(ciphertext)).slice(2)}`
    },
    /** Decrypts a text; returns undefined if secret or context differ, or the text is damaged. */
    async decrypt(sealed: string, context: string) {
      key ??= importKey()
      try {
        const bytes = new Uint8Array(hexToBytes(sealed as Hex))
        const algorithm = createAlgorithm(bytes.slice(0, nonceBytes), context)
        const text = await crypto.subtle.decrypt(algorithm, await key, bytes.slice(nonceBytes))
        return new TextDecoder().decode(text)
      } catch {
        return undefined
      }
    },
  }
}
