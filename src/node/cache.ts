import * as z from 'zod/mini'
import { hashKey } from '../runtime/bearer.ts'
import { parseJson } from '../runtime/json.ts'
import type { RedisDatabase } from '../runtime/redis.ts'

/** Parses a cached text, and when it was cached (Unix ms) if it is unverified. */
export const cachedText = z.object({ text: z.string(), unverifiedSince: z.optional(z.number()) })

export type CachedText = z.output<typeof cachedText>

/** Limits how long an unverified answer is used, in ms, because the node may have lied. */
export const maxUnverifiedMs = 60_000

export type Cache = ReturnType<typeof createCache>

/** Caches texts in memory up to a number of characters; evicts the least recently used. */
export function createCache({ maxLength, now }: { maxLength: number; now: () => number }) {
  const entries = new Map<string, CachedText>()
  let length = 0
  /** Holds the time (Unix ms) before which unverified answers are stale. */
  let trustedSince = 0

  function remove(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    length -= key.length + entry.text.length
  }

  /** Tells whether a text, cached here or elsewhere, may still be used. */
  function isUsable({ unverifiedSince: since }: CachedText): boolean {
    return since === undefined || (since >= trustedSince && now() - since < maxUnverifiedMs)
  }

  return {
    isUsable,
    /** Drops all unverified answers, because one of the nodes was proved wrong. */
    dropUnverified(): void {
      trustedSince = now()
      for (const [key, { unverifiedSince }] of entries) {
        if (unverifiedSince !== undefined) remove(key)
      }
    },
    get(key: string): CachedText | undefined {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (!isUsable(entry)) {
        remove(key)
        return undefined
      }
      // A Map iterates in order of insertion, so this marks the entry as most recently used.
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set(key: string, entry: CachedText): void {
      const entryLength = key.length + entry.text.length
      // One answer must not evict all others.
      if (entryLength > maxLength / 16) return
      remove(key)
      entries.set(key, entry)
      length += entryLength
      for (const oldest of entries.keys()) {
        if (length <= maxLength) break
        remove(oldest)
      }
    },
  }
}

/**
 * Stores answers for all processes of a location; may lose them, and its failures are ignored. Keys
 * are hashed, so that no store shows what a customer asked for.
 */
export type SharedAnswers = {
  readonly find: (key: string) => Promise<CachedText | undefined>
  readonly store: (key: string, cachedText: CachedText) => Promise<void>
}

/** How long a verified answer is stored, in ms, to save space; the answer itself cannot change. */
const verifiedLifetimeMs = 86_400_000

const getLifetimeMs = ({ unverifiedSince }: CachedText): number =>
  unverifiedSince === undefined ? verifiedLifetimeMs : maxUnverifiedMs

const parseCachedText = (text: string): CachedText | undefined =>
  cachedText.safeParse(parseJson(text)).data

type PlatformCache = {
  match: (address: string) => Promise<Response | undefined>
  put: (address: string, response: Response) => Promise<void>
}

export function createPlatformAnswers(open: () => PlatformCache): SharedAnswers {
  const toCacheUrl = (key: string): string => `https://answers.invalid/${hashKey(key)}`
  return {
    async find(key) {
      const response = await open().match(toCacheUrl(key))
      return response && parseCachedText(await response.text())
    },
    async store(key, answer) {
      const headers = { 'cache-control': `max-age=${getLifetimeMs(answer) / 1_000}` }
      await open().put(toCacheUrl(key), new Response(JSON.stringify(answer), { headers }))
    },
  }
}

const answersLua = `
if not ARGV[1] then return redis.call('GET', KEYS[1]) or '' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''
`

export function createRedisAnswers(database: RedisDatabase): SharedAnswers {
  const run = database.script(answersLua)
  const toRedisName = (key: string): string => `answer:${hashKey(key)}`
  return {
    find: async (key) => parseCachedText(`${await run([toRedisName(key)], [])}`),
    store: async (key, answer) => {
      await run([toRedisName(key)], [JSON.stringify(answer), `${getLifetimeMs(answer)}`])
    },
  }
}
