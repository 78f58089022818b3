import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { createRandom } from '../random.ts'
import { exchange as exchangeCall } from '../rpc.ts'
import { type Ask, laggingAnswer } from './lagging.ts'
import { type HttpFault, type HttpReply, misbehave, reply } from './misbehave.ts'
import { createRules, type Timing } from './rules.ts'

export type Fault =
  | HttpFault
  /** Another node answers, this many blocks behind; the first node gets transactions. */
  | { kind: 'lagging'; blocks: number }
  | { kind: 'changed'; change: Change }

export type Change = (answer: Answer, request: Request) => Answer

type Answer = { id?: unknown; result?: unknown; error?: unknown }

export type FaultKind = Fault['kind']

export type Rule = Timing & { fault: Fault; methods?: readonly string[] }

type Request = { id: unknown; method: string; params: readonly unknown[] }

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

/** Starts a JSON-RPC proxy that injects faults, and otherwise only forwards. */
export async function startFaultProxy({ target, seed = 1 }: { target: string; seed?: number }) {
  const rules = createRules<Rule>(createRandom(seed, 'faults'))
  const node = nodeAt(target)
  const log: { methods: string[]; fault: FaultKind }[] = []
  const seen = new Map<string, number>()
  const stopping = new AbortController()
  const server = await startLoopbackServer(exchange)

  return {
    url: server.url,
    /** Handles what is no plain request. */
    http: server.http,
    script: rules.script,
    clear: rules.clear,
    /** Refuses connections, and closes open ones. */
    refuse: server.close,
    /** Accepts connections again. */
    accept: server.open,
    log,
    seen: (method?: string) =>
      method === undefined
        ? [...seen.values()].reduce((sum, count) => sum + count, 0)
        : (seen.get(method) ?? 0),
    /** Counts the requests of each method. */
    counts: (): ReadonlyMap<string, number> => new Map(seen),
    async stop() {
      stopping.abort()
      await server.close()
    },
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const requests = requestsIn(body)
    const methods = requests.map(({ method }) => method)
    for (const method of methods) seen.set(method, (seen.get(method) ?? 0) + 1)
    const fault = rules.strike(
      ({ methods: meant }) =>
        meant === undefined || methods.some((method) => meant.includes(method)),
    )?.fault
    if (fault !== undefined) log.push({ methods, fault: fault.kind })
    switch (fault?.kind) {
      case 'changed': {
        const { status, text } = await node.forward(body)
        const rewrite = (one: Answer): Answer => {
          const request = requests.find(({ id }) => id === one.id)
          return request === undefined ? one : fault.change(one, request)
        }
        const said = JSON.parse(text) as Answer | Answer[]
        const changed = Array.isArray(said) ? said.map(rewrite) : rewrite(said)
        return reply(response, { status, text: JSON.stringify(changed) })
      }
      case 'lagging': {
        const answers = await Promise.all(
          requests.map(async ({ id, ...asked }) => {
            const answer = await laggingAnswer(asked, fault.blocks, node.ask)
            const said = answer ?? (await node.answer(asked.method, asked.params))
            return { jsonrpc: '2.0', ...said, id }
          }),
        )
        const text = JSON.stringify(body.trimStart().startsWith('[') ? answers : answers[0])
        return reply(response, { status: 200, text })
      }
      default: {
        const answer = () => node.forward(body)
        await misbehave(fault, { request, response, answer, server, stopping: stopping.signal })
      }
    }
  }
}

function nodeAt(target: string) {
  async function forward(body: string): Promise<HttpReply> {
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return { status: answer.status, text: await answer.text() }
  }

  const answer = async (method: string, params: readonly unknown[]): Promise<Answer> =>
    (await exchangeCall(target, method, params)).answer
  const ask: Ask = async (method, params) => (await answer(method, params)).result
  return { forward, answer, ask }
}

function requestsIn(body: string): Request[] {
  const parsed: unknown = JSON.parse(body)
  return (Array.isArray(parsed) ? parsed : [parsed]).map((one) => ({
    id: one?.id,
    method: String(one?.method),
    params: Array.isArray(one?.params) ? one.params : [],
  }))
}
