import { hashKey } from '../keys/api-keys.ts'
import { parseJson } from '../runtime/json.ts'
import type { RedisDatabase } from '../runtime/redis.ts'
import { type CachedText, cachedText, maxUnverifiedMs } from './cache.ts'

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

/** Stores answers in the platform's cache, for all isolates of a location. */
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

/** Stores answers in Redis, for all Deno processes. */
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
