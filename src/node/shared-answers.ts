import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, stringToBytes } from 'viem'
import * as z from 'zod/mini'
import { parseJson } from '../runtime/json.ts'
import type { RedisDatabase } from '../runtime/redis.ts'
import { type KeptText, unverifiedMs } from './cache.ts'

/** Keeps answers for all processes of a place; it may forget, and a failure counts as nothing. */
export type SharedAnswers = {
  readonly find: (key: string) => Promise<KeptText | undefined>
  readonly keep: (key: string, kept: KeptText) => Promise<void>
}

/** Limits how long a verified answer, which cannot change, takes up room in a store. */
const verifiedMs = 86_400_000

const lifeMs = ({ unverifiedSince }: KeptText): number =>
  unverifiedSince === undefined ? verifiedMs : unverifiedMs

const kept = z.object({ text: z.string(), unverifiedSince: z.optional(z.number()) })

function readKept(text: string): KeptText | undefined {
  const outcome = kept.safeParse(parseJson(text))
  if (!outcome.success) return undefined
  return { text: outcome.data.text, unverifiedSince: outcome.data.unverifiedSince }
}

/** Names an answer by a digest: what a customer asked for stands in no store. */
const hashName = (key: string): string => bytesToHex(sha256(stringToBytes(key))).slice(2)

type PlatformCache = {
  match: (address: string) => Promise<Response | undefined>
  put: (address: string, response: Response) => Promise<void>
}

/** Keeps answers in the platform's cache, for all isolates of a location. */
export function createPlatformAnswers(open: () => PlatformCache): SharedAnswers {
  const toCacheUrl = (key: string): string => `https://answers.invalid/${hashName(key)}`
  return {
    async find(key) {
      const response = await open().match(toCacheUrl(key))
      return response && readKept(await response.text())
    },
    async keep(key, answer) {
      const headers = { 'cache-control': `max-age=${lifeMs(answer) / 1_000}` }
      await open().put(toCacheUrl(key), new Response(JSON.stringify(answer), { headers }))
    },
  }
}

const answersLua = `
if not ARGV[1] then return redis.call('GET', KEYS[1]) or '' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''
`

/** Keeps answers in Redis, for all of Deno's processes. */
export function createRedisAnswers(database: RedisDatabase): SharedAnswers {
  const run = database.script(answersLua)
  const nameIn = (key: string): string => `answer:${hashName(key)}`
  return {
    find: async (key) => readKept(`${await run([nameIn(key)], [])}`),
    keep: async (key, answer) => {
      await run([nameIn(key)], [JSON.stringify(answer), `${lifeMs(answer)}`])
    },
  }
}
