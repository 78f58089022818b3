import type { Keys } from './api-keys.ts'

/** Allows the calls of this many seconds at once, because a batch holds up to 50. */
const burstSeconds = 2

/** Limits a key's calls per second in this process. */
export function limitRate(keys: Keys, callsASecond: number, now: () => number): Keys {
  const burstCalls = Math.max(50, callsASecond * burstSeconds)
  const buckets = new Map<string, { left: number; at: number }>()

  /** Takes calls from a key's bucket, or returns when (Unix time in ms) it will hold enough. */
  function take(hash: string, calls: number): number | undefined {
    const at = now()
    const before = buckets.get(hash) ?? { left: burstCalls, at }
    const left = Math.min(
      burstCalls,
      before.left + (Math.max(0, at - before.at) * callsASecond) / 1_000,
    )
    const isAllowed = calls <= left
    buckets.set(hash, { left: isAllowed ? left - calls : left, at })
    return isAllowed ? undefined : at + ((calls - left) * 1_000) / callsASecond
  }

  return {
    async lookup(hash) {
      const key = await keys.lookup(hash)
      if (key.kind === 'unknown') return key
      return {
        ...key,
        async spend(calls) {
          const retryAt = take(hash, calls)
          if (retryAt === undefined) return await key.spend(calls)
          return { resetAt: new Date(retryAt), period: 'second' }
        },
      }
    },
  }
}
