import { type Keys, limitSpending, type QuotaRefusal } from './api-keys.ts'

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
