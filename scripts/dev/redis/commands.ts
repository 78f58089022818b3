import { createHash } from 'node:crypto'
import { ErrorReply } from '@redis/client'
import { connectRedis, type RedisValue } from './connection.ts'

type Answer = { result: RedisValue } | { error: string }

/** Carries commands to Redis; with a clock, scripts are told its time and not the server's. */
export function createCommands(redisPort: number, now: (() => number) | undefined) {
  let redis = connectRedis(redisPort)
  let count = 0
  const timed = now === undefined ? (command: string[]) => command : createScriptClock(now)

  return {
    async run(command: string[]): Promise<Answer> {
      count += 1
      try {
        return { result: await redis.call(...timed(command)) }
      } catch (error) {
        if (error instanceof ErrorReply) return { error: error.message }
        throw error
      }
    },
    count: () => count,
    lead(port: number) {
      redis.close()
      redis = connectRedis(port)
    },
    close: () => redis.close(),
  }
}

/** Keeps the scripts that come, and lets each run with the time of a clock written into it. */
function createScriptClock(now: () => number): (command: string[]) => string[] {
  const scripts = new Map<string, string>()
  return (command) => {
    const [name = '', script = '', ...rest] = command
    const kind = name.toUpperCase()
    if (kind === 'EVAL') scripts.set(createHash('sha1').update(script).digest('hex'), script)
    const text = kind === 'EVAL' ? script : kind === 'EVALSHA' ? scripts.get(script) : undefined
    if (text === undefined) return command
    const ms = now()
    const time = `{ '${Math.floor(ms / 1000)}', '${(ms % 1000) * 1000}' }`
    return ['EVAL', text.replaceAll("redis.call('TIME')", time), ...rest]
  }
}
