import { createCipheriv } from 'node:crypto'

type Key = { bytes: Uint8Array }
type Closing = { iv: Uint8Array; additionalData: Uint8Array }

/** WebCrypto's AES-256-GCM, with which messages are sealed, computed in the same thread. */
const instant = {
  importKey: async (_: string, bytes: Uint8Array): Promise<Key> => ({ bytes }),
  async encrypt({ iv, additionalData }: Closing, { bytes }: Key, text: Uint8Array) {
    const closing = createCipheriv('aes-256-gcm', bytes, iv).setAAD(additionalData)
    return Buffer.concat([closing.update(text), closing.final(), closing.getAuthTag()])
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
