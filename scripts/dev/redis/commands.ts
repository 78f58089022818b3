import { createHash } from 'node:crypto'
import { ErrorReply } from '@redis/client'
import { connectRedis, type RedisValue } from './connection.ts'

type Answer = { result: RedisValue } | { error: string }

/** Sends commands to Redis; with a clock, scripts get its time instead of the server's. */
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

/** Makes a script read the time from its last two arguments, so that Redis compiles it once. */
const withClock = (script: string): string => {
  const time = 'local us = table.remove(ARGV)\nlocal time = { table.remove(ARGV), us }\n'
  return time + script.replaceAll("redis.call('TIME')", 'time')
}

/** Runs scripts with this clock; Redis answers an unknown digest with NOSCRIPT. */
function createScriptClock(now: () => number): (command: string[]) => string[] {
  const digests = new Map<string, string>()
  return (command) => {
    const [name = '', script = '', ...rest] = command
    const kind = name.toUpperCase()
    const ms = now()
    const time = [`${Math.floor(ms / 1000)}`, `${(ms % 1000) * 1000}`]
    if (kind === 'EVAL') {
      const text = withClock(script)
      digests.set(sha1(script), sha1(text))
      return ['EVAL', text, ...rest, ...time]
    }
    const digest = kind === 'EVALSHA' ? digests.get(script) : undefined
    return digest === undefined ? command : ['EVALSHA', digest, ...rest, ...time]
  }
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
