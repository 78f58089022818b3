import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LoopbackServer, startLoopbackServer, textOf } from '../loopback-server.ts'
import { createRandom } from '../random.ts'
import { sleep } from '../wait.ts'
import { type Ask, laggingAnswer } from './lagging.ts'
import { createRules, type Scripted, type Timing } from './rules.ts'

/** What can go wrong between a sender and its node. */
export type Fault =
  /** The connection ends and the node has seen nothing. */
  | { kind: 'drop_request' }
  /** The node has done it and the connection ends before its answer. */
  | { kind: 'drop_reply' }
  /** The node sees it this much later, whether anybody still waits or not. */
  | { kind: 'delay_request'; ms: number }
  /** The node does it at once and its answer comes this much later. */
  | { kind: 'delay_reply'; ms: number }
  /** This and all other connections are refused for so long. */
  | { kind: 'refuse'; ms: number }
  /** A gateway answers in the node's place: 429, 500. */
  | { kind: 'status'; status: number }
  /** A gateway's page, with status 200. */
  | { kind: 'html' }
  /** The node has done it and half of its answer arrives. */
  | { kind: 'truncated' }
  /** Another node answers, this many blocks behind. Transactions go to the one in front. */
  | { kind: 'lagging'; blocks: number }
  /** A node that does not have this method. */
  | { kind: 'unknown_method' }
  /** A node that counts an account's transactions wrong by this many. */
  | { kind: 'miscounted'; by: number }

export type FaultKind = Fault['kind']

/** When a fault happens. Without conditions: always. */
export type Rule = Timing & {
  fault: Fault
  /** Only exchanges with one of these methods in them. */
  methods?: readonly string[]
}

/** One exchange that went wrong. */
export type FaultEntry = { methods: string[]; fault: FaultKind }

export type FaultProxy = {
  url: string
  script(rule: Rule): Scripted
  /** Lets everything through from now on. */
  clear(): void
  /** Refuses connections, those that are open too. */
  refuse(): Promise<void>
  /** Takes them again, whatever refused them. */
  accept(): Promise<void>
  /** What went wrong so far. */
  log: readonly FaultEntry[]
  /** How many requests of a method came, or of any. */
  seen(method?: string): number
  stop(): Promise<void>
}

type Request = { id: unknown; method: string; params: readonly unknown[] }

/** What came in one HTTP request, and where its answer goes. */
type Exchange = {
  body: string
  requests: readonly Request[]
  request: IncomingMessage
  response: ServerResponse
}

/** Starts a JSON-RPC proxy that does what it is told to, and otherwise only passes on. */
export async function startFaultProxy({
  target,
  seed = 1,
}: {
  target: string
  seed?: number
}): Promise<FaultProxy> {
  const rules = createRules<Rule>(createRandom(seed, 'faults'))
  const node = nodeAt(target)
  const log: FaultEntry[] = []
  const seen = new Map<string, number>()
  const stopping = new AbortController()
  const server = await startLoopbackServer(exchange)

  return {
    url: server.url,
    script: rules.script,
    clear: rules.clear,
    refuse: server.close,
    accept: server.open,
    log,
    seen: (method) =>
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
    for (const { method } of requests) seen.set(method, (seen.get(method) ?? 0) + 1)
    const fault = faultFor(requests)
    if (fault === undefined) return reply(response, await node.forward(body))
    log.push({ methods: requests.map(({ method }) => method), fault: fault.kind })
    await misbehave(fault, { body, requests, request, response }, { node, server, pause })
  }

  function faultFor(requests: readonly Request[]): Fault | undefined {
    const isMeant = ({ methods }: Rule) =>
      methods === undefined || requests.some(({ method }) => methods.includes(method))
    return rules.strike(isMeant)?.fault
  }

  /** Whatever waits when the proxy is stopped goes no further. */
  async function pause(ms: number): Promise<void> {
    await sleep(ms, stopping.signal)
    if (stopping.signal.aborted) throw new Error('the proxy is stopped')
  }
}

/** What a proxy misbehaves with. */
type Means = { node: Node; server: LoopbackServer; pause: (ms: number) => Promise<void> }

async function misbehave(
  fault: Fault,
  { body, requests, request, response }: Exchange,
  { node, server, pause }: Means,
): Promise<void> {
  switch (fault.kind) {
    case 'drop_request':
      request.socket.destroy()
      return
    case 'drop_reply':
      await node.forward(body)
      request.socket.destroy()
      return
    case 'refuse':
      await server.close()
      await pause(fault.ms)
      return await server.open()
    case 'delay_request':
      await pause(fault.ms)
      return reply(response, await node.forward(body))
    case 'delay_reply': {
      const answer = await node.forward(body)
      await pause(fault.ms)
      return reply(response, answer)
    }
    case 'status':
      response.writeHead(fault.status, { 'content-type': 'text/plain' })
      response.end('The gateway has no answer.')
      return
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>Just a moment...</title>')
      return
    case 'truncated': {
      const { status, text } = await node.forward(body)
      // A whole response to HTTP, half of one to JSON.
      return reply(response, { status, text: text.slice(0, Math.floor(text.length / 2)) })
    }
    case 'lagging':
    case 'miscounted':
    case 'unknown_method': {
      const answers = await Promise.all(requests.map((one) => answerBadly(node, fault, one)))
      const text = JSON.stringify(body.trimStart().startsWith('[') ? answers : answers[0])
      return reply(response, { status: 200, text })
    }
  }
}

async function answerBadly(
  { forward, ask }: Node,
  fault: Extract<Fault, { kind: 'lagging' | 'miscounted' | 'unknown_method' }>,
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

type NodeReply = { status: number; text: string }

/** The node behind the proxy. */
type Node = { forward: (body: string) => Promise<NodeReply>; ask: Ask }

function nodeAt(target: string): Node {
  async function forward(body: string): Promise<NodeReply> {
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

function reply(response: ServerResponse, { status, text }: NodeReply): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(text)
}

function requestsIn(body: string): Request[] {
  const parsed: unknown = JSON.parse(body)
  return (Array.isArray(parsed) ? parsed : [parsed]).map((one) => ({
    id: one?.id,
    method: String(one?.method),
    params: Array.isArray(one?.params) ? one.params : [],
  }))
}
