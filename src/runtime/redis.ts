import { Redis } from '@upstash/redis'
import { bytesToHex } from 'viem'

export type RedisAddress = { url: string; token: string }

/** Runs a Lua script as one atomic step, even if the call fails. @throws {RedisError} no answer */
export type RedisScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>

/** Runs scripts in a Redis database, on its primary; nothing else is used. */
export type RedisDatabase = { script: (source: string) => RedisScript }

/** Reports a silent or refusing database, without the command, which holds keys and tokens. */
export class RedisError extends Error {
  override readonly name = 'RedisError'
}

/**
 * Limits a script's time; a caller waits 6.5 s at most, and a ledger call is made up to three
 * times.
 */
const defaultTimeoutMs = 2_000

export function openRedis({ url, token }: RedisAddress, timeoutMs = defaultTimeoutMs) {
  const client = new Redis({
    url,
    token,
    // A dropped request may have been executed: only the caller knows whether to repeat it.
    retry: { retries: 0 },
    // A plain signal would make an abort look like an answer, and would serve one request only.
    signal: () => AbortSignal.timeout(timeoutMs),
    // Keep numbers and digests as text.
    automaticDeserialization: false,
    responseEncoding: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    keepAlive: false,
  })
  return {
    script(source: string): RedisScript {
      let digest: Promise<string> | undefined
      return async (keys, args) => {
        digest ??= sha1(source)
        const sha = await digest
        try {
          return await client.evalsha(sha, [...keys], [...args])
        } catch (error) {
          if (!isUnknownScript(error)) throw withoutCommand(error)
        }
        return client.eval(source, [...keys], [...args]).catch((error: unknown) => {
          throw withoutCommand(error)
        })
      }
    },
  }
}

/** Tells whether the database forgot its scripts, as after a restart or a failover. */
const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && error.name === 'UpstashError' && /^NOSCRIPT\b/.test(error.message)

/** Removes the command from an error, since the client repeats it, or the whole answer. */
function withoutCommand(error: unknown): RedisError {
  if (!(error instanceof Error)) return new RedisError('the database gave no answer')
  const { name, message } = error
  if (name === 'UpstashJSONParseError')
    return new RedisError('the database gave a malformed answer')
  if (name !== 'UpstashError')
    return new RedisError('the database gave no answer', { cause: error })
  const [refusal = ''] = message.split(', command was: ')
  return new RedisError(`the database refused: ${refusal.split('\n')[0]}`)
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return bytesToHex(new Uint8Array(digest)).slice(2)
}
