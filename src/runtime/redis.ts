import { sha1 } from '@noble/hashes/legacy.js'
import { Redis } from '@upstash/redis'
import { bytesToHex, stringToBytes } from 'viem'
import * as z from 'zod/mini'

export type RedisAddress = { url: string; token: string }

/**
 * Runs a Lua script as one atomic step. The step may be done even if the call fails.
 * @throws {RedisError} no answer
 */
export type RedisScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

/** Runs scripts in a Redis database, and no other commands, so that its primary answers. */
export type RedisDatabase = { script: (source: string) => RedisScript }

/** Reports that the database gave no answer or refused, without the command, which holds keys. */
export class RedisError extends Error {
  override readonly name = 'RedisError'
}

/** Limits the time of a script: a ledger call is made up to three times, in at most 6.5 s. */
const defaultTimeoutMs = 2_000

export function openRedis({ url, token }: RedisAddress, timeoutMs = defaultTimeoutMs) {
  const client = new Redis({
    url,
    token,
    // A request without an answer may have been executed, so only the caller may repeat it.
    retry: { retries: 0 },
    // With a signal in place of a function, an abort would look like an answer, and the signal
    // would serve one request only.
    signal: () => AbortSignal.timeout(timeoutMs),
    // Numbers and digests stay text.
    automaticDeserialization: false,
    responseEncoding: false,
    // A call that throws would shift the answers of the calls behind it
    // (findings/upstash-bigint-shifts-answers.sh).
    enableAutoPipelining: false,
    enableTelemetry: false,
    keepAlive: false,
  })
  return {
    script(source: string): RedisScript {
      const sha = bytesToHex(sha1(stringToBytes(source))).slice(2)
      return async (keys, args) => {
        try {
          return await client.evalsha(sha, [...keys], [...args])
        } catch (error) {
          if (!isUnknownScript(error)) throw removeCommand(error)
        }
        return client.eval(source, [...keys], [...args]).catch((error: unknown) => {
          throw removeCommand(error)
        })
      }
    },
  }
}

const evictionLua = `local isKnown, info = pcall(redis.call, 'INFO', 'memory')
return isKnown and type(info) == 'string' and string.match(info, 'maxmemory_policy:([%w-]+)') or ''`

/** Creates a reader of the policy by which a full database drops keys; undefined: it tells none. */
export function createEvictionReader(database: RedisDatabase): () => Promise<string | undefined> {
  const script = database.script(evictionLua)
  return async () => z.string().parse(await script([], [])) || undefined
}

/** Tells whether the database does not know the script, as after a restart or a failover. */
const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && error.name === 'UpstashError' && /^NOSCRIPT\b/.test(error.message)

/** Removes the command, which the client repeats in its errors, and a malformed answer. */
function removeCommand(error: unknown): RedisError {
  if (!(error instanceof Error)) return new RedisError('the database gave no answer')
  const { name, message } = error
  if (name === 'UpstashJSONParseError')
    return new RedisError('the database gave a malformed answer')
  if (name !== 'UpstashError')
    return new RedisError('the database gave no answer', { cause: error })
  const [refusal = ''] = message.split(', command was: ')
  return new RedisError(`the database refused: ${refusal.split('\n')[0]}`)
}
