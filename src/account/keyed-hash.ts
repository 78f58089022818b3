import { type Hex, hexToBytes, stringToBytes } from 'viem'

export type Secret = Hex

/** Gives HMAC-SHA-256 (RFC 2104) of parts; no two lists of parts are one message. */
export type KeyedHash = (...parts: readonly string[]) => Promise<Uint8Array<ArrayBuffer>>

/** Imports its key on first use: requests that need no hash stay free of it. */
export function createKeyedHash(secret: Secret): KeyedHash {
  let key: Awaited<ReturnType<typeof crypto.subtle.importKey>> | undefined
  return async (...parts) => {
    key ??= await crypto.subtle.importKey(
      'raw',
      new Uint8Array(hexToBytes(secret)),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const message = parts.map((part) => `${part.length}:${part}`).join('')
    return new Uint8Array(
      await crypto.subtle.sign('HMAC', key, new Uint8Array(stringToBytes(message))),
    )
  }
}
