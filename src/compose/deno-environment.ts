import * as z from 'zod/mini'
import type { RedisAddress } from '../runtime/redis.ts'
import { type Config, parseConfig } from './config.ts'
import { ConfigError, type Env, readVariables, secureUrl } from './environment.ts'

export type DenoConfig = { config: Config; redis: RedisAddress }

const redisVariables = z.object({
  UPSTASH_REDIS_REST_URL: secureUrl,
  UPSTASH_REDIS_REST_TOKEN: z.string().check(z.regex(/^[\x21-\x7e]{8,}$/, 'has to be a token')),
})

/** Reads the environment. @throws {ConfigError} naming every bad variable and why */
export function parseDenoConfig(env: Env): DenoConfig {
  const { values, faults } = readVariables(redisVariables, env)
  const { FINAL_AFTER = '' } = env
  // A database may lose its last commits, and with them what has to outlive a lost block.
  if (FINAL_AFTER !== '' && FINAL_AFTER !== 'confirmations')
    faults.push({ variable: 'FINAL_AFTER', reason: 'has to be confirmations on Redis' })
  const config = parseConfig({ ...env, FINAL_AFTER: 'confirmations' }, faults)
  if (values === undefined) throw new ConfigError(faults)
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = values
  return { config, redis: { url, token } }
}
