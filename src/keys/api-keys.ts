import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from 'viem'
import * as z from 'zod/mini'

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

/** Tells that what a key may call in a day, or in a second, does not cover the calls; nothing was counted. */
export type Spent = { resetAt: Date; of: 'day' | 'second' }

/** The API keys of the node service. Only hashes of keys are ever stored. */
export type Keys = { readonly lookup: (hash: string) => Promise<KeyCheck> }

/** SHA-256 of the key's text, in hex. Keys are random, so the hash needs no salt. */
export function hashKey(key: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(key))).slice(2)
}

/** A key as it is kept: never the key itself. */
export const keyRecord = z.object({
  hash: z.string(),
  /** Whose it is, in the operator's words. */
  name: z.string(),
  chainId: z.int(),
  /** Calls a day (UTC); `null` is no limit. */
  quota: z.nullable(z.int()),
  /** The only methods it may call; `null` is all. */
  methods: z.nullable(z.array(z.string())),
  /** ms of Unix time. */
  createdAt: z.int(),
  revokedAt: z.nullable(z.int()),
})

export type KeyRecord = z.output<typeof keyRecord>

/** Calls a day of a key that was given no other quota; what the hosted service grants. */
export const defaultQuota = 25_000
