import * as z from 'zod/mini'
import type { RedisAddress } from '../runtime/redis.ts'
import { type Config, ConfigError, parseConfig, secureUrl } from './config.ts'

/** The environment of a Deno process: what a Worker's holds, and where its Redis is. */
export type DenoConfig = { config: Config; redis: RedisAddress }

const redisVariables = z.object({
  UPSTASH_REDIS_REST_URL: secureUrl,
  UPSTASH_REDIS_REST_TOKEN: z.string().check(z.regex(/^[\x21-\x7e]{8,}$/, 'has to be a token')),
})

/** Reads the environment. @throws {ConfigError} naming every bad variable and why */
export function parseDenoConfig(env: Readonly<Record<string, unknown>>): DenoConfig {
  const parsed = redisVariables.safeParse(env)
  const faults = (parsed.error?.issues ?? []).map((issue) => {
    const variable = String(issue.path[0])
    return { variable, reason: env[variable] ? issue.message : 'is missing' }
  })
  try {
    const config = parseConfig(env)
    if (parsed.success) {
      const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = parsed.data
      return { config, redis: { url, token } }
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    faults.unshift(...error.faults)
  }
  throw new ConfigError(faults)
}
