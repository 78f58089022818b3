import { bytesToHex, type Hex, hexToBytes } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

/** Length of a random nonce, with which one key may seal 2^32 texts (NIST SP 800-38D). */
const nonceBytes = 12

const uses = ['encrypt', 'decrypt'] as const

export type Seal = ReturnType<typeof createSeal>

/** Creates a cipher for texts (AES-256-GCM), each bound to `purpose` and to its context. */
export function createSeal(secret: Secret, purpose: string) {
  const hash = createKeyedHash(secret)
  const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text))
  const importKey = async () =>
    crypto.subtle.importKey('raw', await hash('seal', purpose), 'AES-GCM', false, [...uses])
  let key: ReturnType<typeof importKey> | undefined
  const createAlgorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encode(context),
  })

  return {
    async close(text: string, context: string): Promise<Hex> {
      key ??= importKey()
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const closed = await crypto.subtle.encrypt(
        createAlgorithm(nonce, context),
        await key,
        encode(text),
      )
      return `${bytesToHex(nonce)}${bytesToHex(new Uint8Array(closed)).slice(2)}`
    },
    /** Decrypts a text; undefined if secret or context differ, or the text is damaged. */
    async open(sealed: string, context: string) {
      key ??= importKey()
      try {
        const bytes = new Uint8Array(hexToBytes(sealed as Hex))
        const [nonce, closed] = [bytes.slice(0, nonceBytes), bytes.slice(nonceBytes)]
        const text = await crypto.subtle.decrypt(createAlgorithm(nonce, context), await key, closed)
        return new TextDecoder().decode(text)
      } catch {
        return undefined
      }
    },
  }
}
