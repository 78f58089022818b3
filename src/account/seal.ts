import { bytesToHex, type Hex, hexToBytes } from 'viem'
import { createKeyedHash, type Secret } from './keyed-hash.ts'

/** Is random and never reused: one key may seal 2^32 texts. */
const nonceBytes = 12

const uses = ['encrypt', 'decrypt'] as const

export type Seal = ReturnType<typeof createSeal>

/** Creates a seal for texts (AES-256-GCM), each bound to its subject and to `purpose`. */
export function createSeal(secret: Secret, purpose: string) {
  const hash = createKeyedHash(secret)
  const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text))
  const importKey = async () =>
    crypto.subtle.importKey('raw', await hash('seal', purpose), 'AES-GCM', false, [...uses])
  let key: ReturnType<typeof importKey> | undefined
  const how = (iv: Uint8Array<ArrayBuffer>, about: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encode(about),
  })

  return {
    async close(text: string, about: string): Promise<Hex> {
      key ??= importKey()
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const closed = await crypto.subtle.encrypt(how(nonce, about), await key, encode(text))
      return `${bytesToHex(nonce)}${bytesToHex(new Uint8Array(closed)).slice(2)}`
    },
    /** Opens a text; undefined if secret or subject differ, or the text is damaged. */
    async open(sealed: string, about: string) {
      key ??= importKey()
      try {
        const bytes = new Uint8Array(hexToBytes(sealed as Hex))
        const [nonce, closed] = [bytes.slice(0, nonceBytes), bytes.slice(nonceBytes)]
        const text = await crypto.subtle.decrypt(how(nonce, about), await key, closed)
        return new TextDecoder().decode(text)
      } catch {
        return undefined
      }
    },
  }
}
