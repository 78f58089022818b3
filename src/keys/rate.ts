import type { Keys } from './api-keys.ts'

/** Allows the calls of this many seconds at once, since a batch holds 50. */
const burstSeconds = 2

/** Limits a key's calls per second in this process. */
export function withinRate(keys: Keys, callsASecond: number, now: () => number): Keys {
  const most = Math.max(50, callsASecond * burstSeconds)
  const buckets = new Map<string, { left: number; at: number }>()

  /** Takes calls from a key's bucket, or returns when (Unix time in ms) it will hold enough. */
  function take(hash: string, calls: number): number | undefined {
    const at = now()
    const before = buckets.get(hash) ?? { left: most, at }
    const left = Math.min(most, before.left + (Math.max(0, at - before.at) * callsASecond) / 1_000)
    const isRoom = calls <= left
    buckets.set(hash, { left: isRoom ? left - calls : left, at })
    return isRoom ? undefined : at + ((calls - left) * 1_000) / callsASecond
  }

  return {
    async lookup(hash) {
      const key = await keys.lookup(hash)
      if (key.kind === 'unknown') return key
      return {
        ...key,
        async spend(calls) {
          const until = take(hash, calls)
          if (until === undefined) return await key.spend(calls)
          return { resetAt: new Date(until), of: 'second' }
        },
      }
    },
  }
}
