import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { type Hex, hexToBytes, stringToBytes } from 'viem'

export type Secret = Hex

/** Gives HMAC-SHA-256 (RFC 2104) of parts; no two lists of parts are one message. */
export type KeyedHash = (...parts: readonly string[]) => Promise<Uint8Array<ArrayBuffer>>

/** Hashes in JavaScript: `crypto.subtle` costs a turn of the event loop for a message of a line. */
export function createKeyedHash(secret: Secret): KeyedHash {
  const key = hexToBytes(secret)
  return async (...parts) => {
    const message = parts.map((part) => `${part.length}:${part}`).join('')
    return new Uint8Array(hmac(sha256, key, stringToBytes(message)))
  }
}
