import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom } from '../random.ts'
import { laggingAnswer } from './lagging.ts'

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
  /** A node that counts an account's transactions wrong by this many. */
  | { kind: 'miscounted'; by: number }

export type FaultKind = Fault['kind']

/** When a fault happens. Without conditions: always. */
export type Rule = {
  fault: Fault
  /** Only exchanges with one of these methods in them. */
  methods?: readonly string[]
  /** The first so many that match are let through. */
  skip?: number
  /** Then one in so many, beginning with the first. */
  every?: number
  /** A share of them at random, from the proxy's seed. */
  rate?: number
  /** At most so often. */
  times?: number
}

/** A rule that is in force. */
export type Scripted = {
  /** How often it has struck. */
  hits(): number
  end(): void
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
  /** How many requests of a method came. */
  seen(method: string): number
  stop(): Promise<void>
}

type Request = { id: unknown; method: string; params: readonly unknown[] }

/** Starts a JSON-RPC proxy that does what it is told to, and otherwise only passes on. */
export async function startFaultProxy({
  target,
  seed = 1,
}: {
  target: string
  seed?: number
}): Promise<FaultProxy> {
  const random = createRandom(seed)
  const rules: { rule: Rule; matched: number; hits: number }[] = []
  const log: FaultEntry[] = []
  const seen = new Map<string, number>()
  const delays = new Set<NodeJS.Timeout>()
  let opening: Promise<void> | undefined

  const server = createServer((request, response) => {
    exchange(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  await listen(0)
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    script(rule) {
      const entry = { rule, matched: 0, hits: 0 }
      rules.push(entry)
      return {
        hits: () => entry.hits,
        end: () => {
          const at = rules.indexOf(entry)
          if (at >= 0) rules.splice(at, 1)
        },
      }
    },
    clear: () => {
      rules.length = 0
    },
    refuse: close,
    accept,
    log,
    seen: (method) => seen.get(method) ?? 0,
    async stop() {
      for (const delay of delays) clearTimeout(delay)
      await close()
    },
  }

  async function accept(): Promise<void> {
    if (server.listening) return
    opening ??= listen(port).finally(() => {
      opening = undefined
    })
    await opening
  }

  function listen(on: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(on, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  }

  async function close(): Promise<void> {
    if (!server.listening) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const requests = requestsIn(body)
    for (const { method } of requests) seen.set(method, (seen.get(method) ?? 0) + 1)
    const fault = faultFor(requests)
    if (fault === undefined) return reply(response, await forward(body))
    log.push({ methods: requests.map(({ method }) => method), fault: fault.kind })
    await misbehave(fault, body, requests, request, response)
  }

  async function misbehave(
    fault: Fault,
    body: string,
    requests: readonly Request[],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    switch (fault.kind) {
      case 'drop_request':
        request.socket.destroy()
        return
      case 'drop_reply':
        await forward(body)
        request.socket.destroy()
        return
      case 'refuse':
        await close()
        await sleep(fault.ms)
        return await accept()
      case 'delay_request':
        await sleep(fault.ms)
        return reply(response, await forward(body))
      case 'delay_reply': {
        const answer = await forward(body)
        await sleep(fault.ms)
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
        const { status, text } = await forward(body)
        // A whole response to HTTP, half of one to JSON.
        return reply(response, { status, text: text.slice(0, Math.floor(text.length / 2)) })
      }
      case 'lagging':
      case 'miscounted': {
        const answers = await Promise.all(requests.map((one) => answerBadly(fault, one)))
        const text = JSON.stringify(body.trimStart().startsWith('[') ? answers : answers[0])
        return reply(response, { status: 200, text })
      }
    }
  }

  async function answerBadly(
    fault: Extract<Fault, { kind: 'lagging' | 'miscounted' }>,
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
    if (method !== 'eth_getTransactionCount') return direct()
    const count = Math.max(0, Number(await ask(method, params)) + fault.by)
    return { jsonrpc: '2.0', id, result: `0x${count.toString(16)}` }
  }

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const { text } = await forward(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (JSON.parse(text) as { result?: unknown }).result
  }

  function faultFor(requests: readonly Request[]): Fault | undefined {
    for (const entry of rules) {
      const { methods, skip = 0, every = 1, rate = 1, times, fault } = entry.rule
      if (methods && !requests.some(({ method }) => methods.includes(method))) continue
      entry.matched += 1
      if (times !== undefined && entry.hits >= times) continue
      if (entry.matched <= skip || (entry.matched - skip - 1) % every !== 0) continue
      if (rate < 1 && random() >= rate) continue
      entry.hits += 1
      return fault
    }
    return undefined
  }

  async function forward(body: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return { status: answer.status, text: await answer.text() }
  }

  /** Never ends when the proxy is stopped before. */
  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const delay = setTimeout(() => {
        delays.delete(delay)
        resolve()
      }, ms)
      delays.add(delay)
    })
  }
}

function reply(response: ServerResponse, { status, text }: { status: number; text: string }): void {
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

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
