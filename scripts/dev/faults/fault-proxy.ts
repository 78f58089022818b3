import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { createRandom } from '../random.ts'
import { type Ask, laggingAnswer } from './lagging.ts'
import { type HttpFault, type HttpReply, misbehave, reply } from './misbehave.ts'
import { createRules, type Timing } from './rules.ts'

export type Fault =
  | HttpFault
  /** Another node answers, this many blocks behind. Transactions go to the one in front. */
  | { kind: 'lagging'; blocks: number }
  | { kind: 'unknown_method' }
  /** A node that counts an account's transactions wrong by this many. */
  | { kind: 'miscounted'; by: number }
  /** A node whose honest answers are made others. */
  | { kind: 'changed'; change: Change }

/** What a dishonest node makes of an honest answer. */
export type Change = (answer: Answer, request: Request) => Answer

type Answer = { id?: unknown; result?: unknown; error?: unknown }

export type FaultKind = Fault['kind']

export type Rule = Timing & {
  fault: Fault
  /** Only exchanges with one of these methods in them. */
  methods?: readonly string[]
}

type Request = { id: unknown; method: string; params: readonly unknown[] }

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

/** Starts a JSON-RPC proxy that does what it is told to, and otherwise only passes on. */
export async function startFaultProxy({ target, seed = 1 }: { target: string; seed?: number }) {
  const rules = createRules<Rule>(createRandom(seed, 'faults'))
  const node = nodeAt(target)
  const log: { methods: string[]; fault: FaultKind }[] = []
  const seen = new Map<string, number>()
  const stopping = new AbortController()
  const server = await startLoopbackServer(exchange)

  return {
    url: server.url,
    /** For what is no plain request. */
    http: server.http,
    script: rules.script,
    clear: rules.clear,
    /** Refuses connections, those that are open too. */
    refuse: server.close,
    /** Takes them again, whatever refused them. */
    accept: server.open,
    log,
    seen: (method?: string) =>
      method === undefined
        ? [...seen.values()].reduce((sum, count) => sum + count, 0)
        : (seen.get(method) ?? 0),
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
      case 'lagging':
      case 'miscounted':
      case 'unknown_method': {
        const answers = await Promise.all(requests.map((one) => answerBadly(node, fault, one)))
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

async function answerBadly(
  { forward, ask }: Node,
  fault: Exclude<Fault, HttpFault | { kind: 'changed' }>,
  { id, method, params }: Request,
): Promise<unknown> {
  const direct = async () => {
    const { text } = await forward(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return JSON.parse(text)
  }
  if (fault.kind === 'lagging') {
    const answer = await laggingAnswer({ method, params }, fault.blocks, ask)
    return answer === undefined ? direct() : { jsonrpc: '2.0', id, ...answer }
  }
  if (fault.kind === 'unknown_method') {
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'method not found' } }
  }
  if (method !== 'eth_getTransactionCount') return direct()
  const count = Math.max(0, Number(await ask(method, params)) + fault.by)
  return { jsonrpc: '2.0', id, result: `0x${count.toString(16)}` }
}

type Node = { forward: (body: string) => Promise<HttpReply>; ask: Ask }

function nodeAt(target: string): Node {
  async function forward(body: string): Promise<HttpReply> {
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return { status: answer.status, text: await answer.text() }
  }

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { text } = await forward(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (JSON.parse(text) as { result?: unknown }).result
  }

  return { forward, ask }
}

function requestsIn(body: string): Request[] {
  const parsed: unknown = JSON.parse(body)
  return (Array.isArray(parsed) ? parsed : [parsed]).map((one) => ({
    id: one?.id,
    method: String(one?.method),
    params: Array.isArray(one?.params) ? one.params : [],
  }))
}
