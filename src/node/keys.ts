/** What a key may do, or that it is none. A malformed, unknown or revoked key is `unknown`. */
export type KeyCheck =
  | {
      kind: 'granted'
      /** Names the key in logs and limits: the start of its hash. */
      id: string
      chainId: number
      /** The only methods it may call, if it is so limited. */
      methods: ReadonlySet<string> | undefined
      /** Counts calls against the key's quota; `undefined` when it has enough left. */
      spend: (calls: number) => Promise<Spent | undefined>
    }
  | { kind: 'unknown' }

/** The quota does not cover the calls; nothing was counted. */
export type Spent = { resetAt: Date }

/** The API keys of the node service. Only hashes of keys are ever stored. */
export type Keys = {
  readonly check: (key: string) => Promise<KeyCheck>
}

/** SHA-256 of the key's text, in hex. Keys are random, so the hash needs no salt. */
export async function hashKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
