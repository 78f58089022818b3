/** Returns the token of `Authorization: Bearer <token>` (RFC 6750); empty without one. */
export function parseBearerToken(authorization: string | undefined): string {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? ''
}

/** Returns the password of `Authorization: Basic <user:password>` (RFC 7617); empty without one. */
export function parseBasicPassword(authorization: string | undefined): string {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined || encoded.length % 4 !== 0) return ''
  return /:(.*)$/s.exec(atob(encoded))?.[1] ?? ''
}

/** Compares two secrets by their hashes, so that timing reveals neither. */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [givenDigest, expectedDigest] = await Promise.all([given, expected].map(hashText))
  return givenDigest !== undefined && givenDigest === expectedDigest
}

async function hashText(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return new Uint8Array(bytes).join()
}
