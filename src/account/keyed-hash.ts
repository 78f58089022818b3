import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { type Hex, hexToBytes, stringToBytes } from 'viem'

export type Secret = Hex

/** Computes the HMAC-SHA-256 (RFC 2104) of parts; different lists never hash as one message. */
export type KeyedHash = (...parts: readonly string[]) => Uint8Array<ArrayBuffer>

/** Creates a hash in plain JavaScript, as `crypto.subtle` costs an event-loop turn per message. */
export function createKeyedHash(secret: Secret): KeyedHash {
  const key = hexToBytes(secret)
  return (...parts) => {
    const message = parts.map((part) => `${part.length}:${part}`).join('')
    return new Uint8Array(hmac(sha256, key, stringToBytes(message)))
  }
}
