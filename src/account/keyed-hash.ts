import { type Hex, hexToBytes, stringToBytes } from 'viem'

/** 32 random bytes as hex; HMAC-SHA-256 keys are made of it. */
export type Secret = Hex

/** HMAC-SHA-256 (RFC 2104) under a secret, made once and used for many messages. */
export type KeyedHash = (...parts: readonly string[]) => Promise<Uint8Array<ArrayBuffer>>

/**
 * Parts are length-prefixed, so that no two lists of parts give the same message.
 * The key is imported on first use: module load and requests that need no hash stay free of it.
 */
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
