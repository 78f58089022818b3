import { sha256, stringToBytes } from 'viem'

/** Returns the token of `Authorization: Bearer <token>` (RFC 6750); empty without one. */
export const parseBearerToken = (authorization: string | undefined): string =>
  /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? ''

/** Returns the password of `Authorization: Basic <user:password>` (RFC 7617); empty without one. */
export function parseBasicPassword(authorization: string | undefined): string {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined || encoded.length % 4 !== 0) return ''
  return /:(.*)$/s.exec(atob(encoded))?.[1] ?? ''
}

/** Returns the SHA-256 of a key in hex; keys are random, so no salt is needed. */
export const hashKey = (key: string): string => sha256(stringToBytes(key)).slice(2)

/** Compares two secrets by their hashes, so that timing reveals neither. */
export const isSameSecret = (given: string, expected: string): boolean =>
  hashKey(given) === hashKey(expected)
