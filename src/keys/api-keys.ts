import { bytesToHex } from 'viem'

export type GrantedKey = {
  kind: 'granted'
  hash: string
  chainId: number
  /** The only methods it may call, if it is so limited. */
  methods: ReadonlySet<string> | undefined
  /** WebSockets, and subscriptions over all of them, that it may have at a time. */
  sockets: number
  subscriptions: number
  /** Counts calls against the key's quota; `undefined` when it has enough left. */
  spend: (calls: number) => Promise<Spent | undefined>
}

/** What a key may do; a malformed, unknown or revoked one nothing. */
export type KeyCheck = GrantedKey | { kind: 'unknown' }

/** The quota does not cover the calls; nothing was counted. */
export type Spent = { resetAt: Date }

/** The API keys of the node service. Only hashes of keys are ever stored. */
export type Keys = { readonly lookup: (hash: string) => Promise<KeyCheck> }

/** SHA-256 of the key's text, in hex. Keys are random, so the hash needs no salt. */
export async function hashKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return bytesToHex(new Uint8Array(digest)).slice(2)
}

/** A key as it is kept: never the key itself. */
export type KeyRecord = {
  hash: string
  /** Whose it is, in the operator's words. */
  name: string
  chainId: number
  /** Calls a day (UTC); `null` is no limit. */
  quota: number | null
  /** The only methods it may call; `null` is all. */
  methods: readonly string[] | null
  /** ms of Unix time. */
  createdAt: number
  revokedAt: number | null
}

/** Calls a day of a key that was given no other quota; what the hosted service grants. */
export const defaultQuota = 25_000
