import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ErrorReply } from '@redis/client'
import { createRules, type Scripted, type Timing } from '../faults/rules.ts'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { createRandom } from '../random.ts'
import { sleep } from '../wait.ts'
import { connectRedis, type RedisConnection, type RedisValue } from './connection.ts'

/** What can go wrong between a client and its database. */
export type BridgeFault =
  /** The connection ends and the database has seen nothing. */
  | { kind: 'drop_request' }
  /** The database has done it and the connection ends before its answer. */
  | { kind: 'drop_reply' }
  /** The database does it, and its answer comes this much later. */
  | { kind: 'delay_reply'; ms: number }
  /** The database does it twice, as when a proxy sends it again. */
  | { kind: 'double' }
  /** A proxy answers with a page. */
  | { kind: 'html' }

export type BridgeRule = Timing & {
  fault: BridgeFault
  /** Only commands one of whose arguments is this text. */
  argument?: string
}

/** Upstash's REST protocol in front of a Redis server. */
export type RedisBridge = {
  url: string
  token: string
  /** How many commands came. */
  commands(): number
  script(rule: BridgeRule): Scripted
  clear(): void
  /** From now on another server answers. */
  lead(port: number): void
  stop(): Promise<void>
}

export type RedisBridgeOptions = {
  /** Where the Redis server listens. */
  redisPort: number
  port?: number
  token?: string
  /**
   * A clock in the place of the server's, in ms: what scripts are told of the time is replaced in
   * their text.
   */
  now?: (() => number) | undefined
  /** What draws the share of a rule. */
  seed?: number
}

type Answer = { result: RedisValue } | { error: string }

const jsonHeaders = { 'content-type': 'application/json' }

/**
 * Serves `POST /` with one command, `POST /pipeline` with several, and `POST /multi-exec` with
 * several as one step: what Upstash's client asks for.
 */
export async function startRedisBridge({
  redisPort,
  port = 0,
  token = randomBytes(24).toString('base64url'),
  now,
  seed = 1,
}: RedisBridgeOptions): Promise<RedisBridge> {
  let redis = connectRedis(redisPort)
  let commands = 0
  const rules = createRules<BridgeRule>(createRandom(seed, 'database'))
  const scripts = new Map<string, string>()
  const stopping = new AbortController()
  const server = await startLoopbackServer(serve, port)

  return {
    url: server.url,
    token,
    commands: () => commands,
    script: rules.script,
    clear: rules.clear,
    lead(to) {
      redis.close()
      redis = connectRedis(to)
    },
    async stop() {
      stopping.abort()
      await server.close()
      redis.close()
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    if (request.headers.authorization !== `Bearer ${token}`) {
      return reply(response, 401, { error: 'WRONGPASS invalid or missing auth token' })
    }
    if (request.method !== 'POST') return reply(response, 405, { error: 'ERR use POST' })
    const asked = parse(body)
    if (asked === undefined) return reply(response, 400, { error: 'ERR failed to parse the body' })
    const isBase64 = request.headers['upstash-encoding'] === 'base64'
    const shown = (answer: Answer) => (isBase64 ? inBase64(answer) : answer)
    const path = new URL(request.url ?? '/', 'http://bridge').pathname
    if (path === '/') {
      const [command] = asked
      if (command === undefined || asked.length > 1) {
        return reply(response, 400, { error: 'ERR one command is expected' })
      }
      return await answerOne(command, request, response, shown)
    }
    if (path === '/pipeline') {
      const answers = []
      for (const command of asked) answers.push(shown(await run(command)))
      return reply(response, 200, answers)
    }
    if (path === '/multi-exec') {
      const answers = await runTogether(asked)
      return 'error' in answers
        ? reply(response, 400, answers)
        : reply(response, 200, answers.list.map(shown))
    }
    return reply(response, 404, { error: 'ERR there is nothing here' })
  }

  async function answerOne(
    command: string[],
    request: IncomingMessage,
    response: ServerResponse,
    shown: (answer: Answer) => Answer,
  ): Promise<void> {
    const isMeant = ({ argument }: BridgeRule) =>
      argument === undefined || command.includes(argument)
    const fault = rules.strike(isMeant)?.fault
    if (fault?.kind === 'drop_request') return void request.socket.destroy()
    const answer = await run(command)
    switch (fault?.kind) {
      case undefined:
        break
      case 'drop_reply':
        return void request.socket.destroy()
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' })
        return void response.end('<!doctype html><title>Just a moment...</title>')
      case 'delay_reply':
        await sleep(fault.ms, stopping.signal)
        break
      case 'double':
        await run(command)
    }
    // Upstash answers a refused command with 400.
    reply(response, 'error' in answer ? 400 : 200, shown(answer))
  }

  async function run(command: string[]): Promise<Answer> {
    commands += 1
    try {
      return { result: await redis.call(...timed(command)) }
    } catch (error) {
      if (error instanceof ErrorReply) return { error: error.message }
      throw error
    }
  }

  async function runTogether(all: string[][]): Promise<{ list: Answer[] } | { error: string }> {
    commands += all.length
    const own: RedisConnection = connectRedis(redisPort)
    try {
      await own.call('MULTI')
      for (const command of all) await own.call(...command)
      const results = await own.call('EXEC')
      const list = Array.isArray(results) ? results : []
      return {
        list: list.map((result) =>
          result instanceof ErrorReply ? { error: result.message } : { result },
        ),
      }
    } catch (error) {
      if (error instanceof ErrorReply) return { error: error.message }
      throw error
    } finally {
      own.close()
    }
  }

  /** With a clock of ours, a script is kept here and runs with its time written into it. */
  function timed(command: string[]): string[] {
    if (now === undefined) return command
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

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, jsonHeaders)
  response.end(JSON.stringify(body))
}

/** One command, or a list of commands. */
function parse(body: string): string[][] | undefined {
  try {
    const value: unknown = JSON.parse(body)
    if (!Array.isArray(value)) return undefined
    const isList = value.every((item) => Array.isArray(item))
    const commands = (isList ? value : [value]) as unknown[][]
    return commands.map((command) =>
      command.map((part) => (typeof part === 'object' ? JSON.stringify(part) : `${part}`)),
    )
  } catch {
    return undefined
  }
}

function inBase64(answer: Answer): Answer {
  return 'error' in answer ? answer : { result: base64Of(answer.result) }
}

function base64Of(value: RedisValue): RedisValue {
  if (Array.isArray(value)) return value.map(base64Of)
  return typeof value === 'string' && value !== 'OK' ? Buffer.from(value).toString('base64') : value
}
