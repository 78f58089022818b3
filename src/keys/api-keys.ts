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

export type ListedKey = KeyRecord & { spentToday: number }

/** Sets the calls a day of a key without a quota of its own, as in the hosted service. */
export const defaultQuota = 25_000

/** Names the source of calls: the relay's payments, or the node service's callers. */
export type CallSource = 'relay' | 'callers'

/** Counts the calls to nodes in a day (UTC), by their source. */
export type DailyCalls = Readonly<Record<CallSource, number>>

/** Counts the calls of all processes of a deployment to nodes. */
export type CallStore = {
  /** Adds calls to today's, and returns the new counts. */
  count: (calls: DailyCalls) => Promise<DailyCalls & { resetAt: number }>
}

/** Stores all keys by their hashes, what each has spent today (UTC), and all calls to nodes. */
export type KeyStore = CallStore & {
  /** Finds a key that is not revoked. */
  find: (hash: string) => Promise<KeyRecord | null>
  /** Counts all calls or none. Counts `prepaidCalls` more while much of the quota is left. */
  take: (hash: string, calls: number, prepaidCalls: number) => Promise<QuotaResult>
  /** Creates a key; `false` if it exists already. */
  create: (record: KeyRecord) => Promise<boolean>
  /** Lists all keys, also revoked ones, oldest first. */
  list: () => Promise<ListedKey[]>
  /** Revokes the keys whose hash starts like this, and returns how many. */
  revoke: (id: string) => Promise<number>
}

/** Tells whether calls were counted against a key's quota for today. */
export type QuotaResult =
  | { kind: 'taken'; calls: number; resetAt: number }
  | { kind: 'spent'; resetAt: number }

export const dayMs = 86_400_000

/** Sets how many times `prepaidCalls` a quota must have left, so that they are counted too. */
export const minPrepaidMultiple = 20

/** Sets the seconds whose calls a key may make at once, because a batch holds up to 100. */
const burstSeconds = 2

/** Limits a key's calls per second in this process. */
export function limitRate(keys: Keys, callsASecond: number, now: () => number): Keys {
  const burstCalls = Math.max(100, callsASecond * burstSeconds)
  const buckets = new Map<string, { calls: number; updatedAt: number }>()

  /** Takes calls from a key's bucket, or tells when it will hold enough. */
  function takeCalls(hash: string, calls: number): QuotaRefusal | undefined {
    const updatedAt = now()
    const bucket = buckets.get(hash) ?? { calls: burstCalls, updatedAt }
    const elapsedMs = Math.max(0, updatedAt - bucket.updatedAt)
    const available = Math.min(burstCalls, bucket.calls + (elapsedMs * callsASecond) / 1_000)
    const isAllowed = calls <= available
    buckets.set(hash, { calls: isAllowed ? available - calls : available, updatedAt })
    if (isAllowed) return undefined
    const retryAt = updatedAt + ((calls - available) * 1_000) / callsASecond
    return { resetAt: new Date(retryAt), period: 'second' }
  }

  return limitSpending(keys, ({ hash }, calls) => takeCalls(hash, calls))
}
