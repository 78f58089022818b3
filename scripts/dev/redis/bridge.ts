import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../../src/runtime/json.ts'
import { type HttpFault, misbehave } from '../faults/misbehave.ts'
import { createRules, type Timing } from '../faults/rules.ts'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { createRandom } from '../random.ts'
import { createCommands } from './commands.ts'

type BridgeRule = Timing & { fault: HttpFault; argument?: string }

export type RedisBridge = Awaited<ReturnType<typeof startRedisBridge>>

/** Serves what Upstash's client posts to `/` and `/pipeline`. */
export async function startRedisBridge({
  redisPort,
  now,
  seed = 1,
}: {
  redisPort: number
  /** Replaces the server's clock (ms) in scripts. */
  now?: (() => number) | undefined
  seed?: number
}) {
  const token = randomBytes(24).toString('base64url')
  const commands = createCommands(redisPort, now)
  const rules = createRules<BridgeRule>(createRandom(seed, 'database'))
  const stopping = new AbortController()
  const server = await startLoopbackServer(serve)

  return {
    url: server.url,
    token,
    commands: commands.count,
    script: rules.script,
    clear: rules.clear,
    /** Sends commands to another server. */
    lead: commands.lead,
    async stop() {
      stopping.abort()
      await server.close()
      commands.close()
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const words = parse(body)?.flat() ?? []
    const isMeant = ({ argument }: BridgeRule) => argument === undefined || words.includes(argument)
    const fault = rules.strike(isMeant)?.fault
    const answer = async () => {
      const [status, answered] = await answerTo(request, body)
      return { status, text: JSON.stringify(answered) }
    }
    await misbehave(fault, { request, response, answer, server, stopping: stopping.signal })
  }

  async function answerTo(
    { headers, url = '/' }: IncomingMessage,
    body: string,
  ): Promise<[status: number, answer: unknown]> {
    if (headers.authorization !== `Bearer ${token}`) {
      return [401, { error: 'WRONGPASS invalid or missing auth token' }]
    }
    const list = parse(body)
    if (list === undefined) return [400, { error: 'ERR failed to parse the body' }]
    switch (new URL(url, 'http://bridge').pathname) {
      case '/': {
        const [command, ...more] = list
        if (command === undefined || more.length > 0) {
          return [400, { error: 'ERR one command is expected' }]
        }
        const answer = await commands.run(command)
        // Upstash answers a refused command with 400.
        return ['error' in answer ? 400 : 200, answer]
      }
      case '/pipeline': {
        const answers = []
        for (const command of list) answers.push(await commands.run(command))
        return [200, answers]
      }
      default:
        return [404, { error: 'ERR there is nothing here' }]
    }
  }
}

function parse(body: string): string[][] | undefined {
  const value = parseJson(body)
  if (!Array.isArray(value)) return undefined
  const isList = value.every((item) => Array.isArray(item))
  const commands = (isList ? value : [value]) as unknown[][]
  return commands.map((command) =>
    command.map((part) => (typeof part === 'object' ? JSON.stringify(part) : `${part}`)),
  )
}
