import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, stringToBytes } from 'viem'
import * as z from 'zod/mini'

export type GrantedKey = {
  kind: 'granted'
  hash: string
  chainId: number
  /** Lists the only methods that the key may call; undefined allows all. */
  methods: ReadonlySet<string> | undefined
  /** Limits the key's WebSockets, and the subscriptions over all of them. */
  maxSockets: number
  maxSubscriptions: number
  /** Counts calls against the key's quota; `undefined` if enough is left. */
  spend: (calls: number) => Promise<QuotaRefusal | undefined>
}

/** A key's rights; `unknown` if the key is malformed, not stored or revoked. */
export type KeyCheck = GrantedKey | { kind: 'unknown' }

/** A refusal of calls beyond the limit of the day or second, of which none was counted. */
export type QuotaRefusal = { resetAt: Date; period: 'day' | 'second' }

/** Looks up API keys of the node service, of which only hashes are stored. */
export type Keys = { readonly lookup: (hash: string) => Promise<KeyCheck> }

/** Refuses calls of keys where `refuse` tells why, before they are counted. */
export const limitSpending = (
  keys: Keys,
  refuse: (key: GrantedKey, calls: number) => QuotaRefusal | undefined,
): Keys => ({
  async lookup(hash) {
    const key = await keys.lookup(hash)
    if (key.kind === 'unknown') return key
    return { ...key, spend: async (calls) => refuse(key, calls) ?? (await key.spend(calls)) }
  },
})

/** Returns the SHA-256 of a key in hex; keys are random, so no salt is needed. */
export function hashKey(key: string): string {
  return bytesToHex(sha256(stringToBytes(key))).slice(2)
}

/** Parses a stored key, which holds the key's hash and never the key. */
export const keyRecord = z.object({
  hash: z.string(),
  /** Names the owner in the operator's words. */
  name: z.string(),
  chainId: z.int(),
  /** Limits the calls a day (UTC); `null`: no limit. */
  quota: z.nullable(z.int()),
  /** Lists the only methods that it may call; `null` allows all. */
  methods: z.nullable(z.array(z.string())),
  /** Holds a Unix time in ms. */
  createdAt: z.int(),
  revokedAt: z.nullable(z.int()),
})

export type KeyRecord = z.output<typeof keyRecord>

/** Adds what the key has spent of its quota today (UTC). */
export type ListedKey = KeyRecord & { spentToday: number }

/** Sets the calls a day of a key without a quota of its own, as in the hosted service. */
export const defaultQuota = 25_000
