import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

type Key = { bytes: Uint8Array }
type Closing = { iv: Uint8Array; additionalData: Uint8Array }

const cipher = 'aes-256-gcm'
const tagBytes = 16

/** WebCrypto's HMAC-SHA-256 and AES-256-GCM, computed in the same thread. */
const instant = {
  importKey: async (_: string, bytes: Uint8Array): Promise<Key> => ({ bytes }),
  sign: async (_: string, { bytes }: Key, message: Uint8Array) =>
    createHmac('sha256', bytes).update(message).digest(),
  async encrypt({ iv, additionalData }: Closing, { bytes }: Key, text: Uint8Array) {
    const closing = createCipheriv(cipher, bytes, iv).setAAD(additionalData)
    return Buffer.concat([closing.update(text), closing.final(), closing.getAuthTag()])
  },
  async decrypt({ iv, additionalData }: Closing, { bytes }: Key, closed: Uint8Array) {
    const opening = createDecipheriv(cipher, bytes, iv).setAAD(additionalData)
    opening.setAuthTag(closed.subarray(-tagBytes))
    return Buffer.concat([opening.update(closed.subarray(0, -tagBytes)), opening.final()])
  },
}

/** Replaces WebCrypto by `instant` until the returned function is called. */
export function useInstantCrypto(): () => void {
  const subtle = crypto.subtle as unknown as Record<string, unknown>
  for (const [name, value] of Object.entries(instant)) {
    Object.defineProperty(subtle, name, { configurable: true, value })
  }
  return () => {
    for (const name of Object.keys(instant)) delete subtle[name]
  }
}
