import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRules, type Scripted, type Timing } from '../faults/rules.ts'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { createRandom } from '../random.ts'
import { sleep } from '../wait.ts'
import { type Answer, createCommands } from './commands.ts'
import type { RedisValue } from './connection.ts'

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
  const commands = createCommands(redisPort, now)
  const rules = createRules<BridgeRule>(createRandom(seed, 'database'))
  const stopping = new AbortController()
  const server = await startLoopbackServer(serve, port)

  return {
    url: server.url,
    token,
    commands: commands.count,
    script: rules.script,
    clear: rules.clear,
    lead: commands.lead,
    async stop() {
      stopping.abort()
      await server.close()
      commands.close()
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = read(request, await textOf(request), token)
    if ('error' in asked) return reply(response, asked.status, { error: asked.error })
    const { path, list, shown } = asked
    if (path === '/') {
      const [command] = list
      if (command === undefined || list.length > 1) {
        return reply(response, 400, { error: 'ERR one command is expected' })
      }
      return await answerOne(command, request, response, shown)
    }
    if (path === '/pipeline') {
      const answers = []
      for (const command of list) answers.push(shown(await commands.run(command)))
      return reply(response, 200, answers)
    }
    if (path === '/multi-exec') {
      const answers = await commands.runTogether(list)
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
    const answer = await commands.run(command)
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
        await commands.run(command)
    }
    // Upstash answers a refused command with 400.
    reply(response, 'error' in answer ? 400 : 200, shown(answer))
  }
}

/** What a request asks of the database. */
type Asked = {
  path: string
  list: string[][]
  /** An answer in the encoding that was asked for. */
  shown: (answer: Answer) => Answer
}

/** What a request asks, or why it is refused. */
function read(
  request: IncomingMessage,
  body: string,
  token: string,
): Asked | { status: number; error: string } {
  if (request.headers.authorization !== `Bearer ${token}`) {
    return { status: 401, error: 'WRONGPASS invalid or missing auth token' }
  }
  if (request.method !== 'POST') return { status: 405, error: 'ERR use POST' }
  const list = parse(body)
  if (list === undefined) return { status: 400, error: 'ERR failed to parse the body' }
  const isBase64 = request.headers['upstash-encoding'] === 'base64'
  return {
    path: new URL(request.url ?? '/', 'http://bridge').pathname,
    list,
    shown: (answer) => (isBase64 ? inBase64(answer) : answer),
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
