import type { Keys } from './api-keys.ts'

/** Sets the seconds whose calls a key may make at once, because a batch holds up to 100. */
const burstSeconds = 2

/** Limits a key's calls per second in this process. */
export function limitRate(keys: Keys, callsASecond: number, now: () => number): Keys {
  const burstCalls = Math.max(100, callsASecond * burstSeconds)
  const buckets = new Map<string, { calls: number; updatedAt: number }>()

  /** Takes calls from a key's bucket, or returns when it will hold enough (Unix ms). */
  function takeCalls(hash: string, calls: number): number | undefined {
    const updatedAt = now()
    const bucket = buckets.get(hash) ?? { calls: burstCalls, updatedAt }
    const elapsedMs = Math.max(0, updatedAt - bucket.updatedAt)
    const available = Math.min(burstCalls, bucket.calls + (elapsedMs * callsASecond) / 1_000)
    const isAllowed = calls <= available
    buckets.set(hash, { calls: isAllowed ? available - calls : available, updatedAt })
    return isAllowed ? undefined : updatedAt + ((calls - available) * 1_000) / callsASecond
  }

  return {
    async lookup(hash) {
      const key = await keys.lookup(hash)
      if (key.kind === 'unknown') return key
      return {
        ...key,
        async spend(calls) {
          const retryAt = takeCalls(hash, calls)
          if (retryAt === undefined) return await key.spend(calls)
          return { resetAt: new Date(retryAt), period: 'second' }
        },
      }
    },
  }
}
