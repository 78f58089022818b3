import { bytesToHex, type Hex, hexToBytes } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

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
