import { RpcError, TransportError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { maxBatch } from '../message.ts'

/** One node behind the service, spoken to by JSON-RPC over HTTP. Its address stays in here. */
export type Upstream = {
  /** What logs and metrics call it: its place in the list. */
  readonly name: string
  /**
   * Calls that are made in the same turn travel as one batch.
   *
   * @throws {RpcError} the node's error object, without its address
   * @throws {TransportError} no answer, or one that is not JSON-RPC
   */
  readonly call: (
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ) => Promise<unknown>
  /** Calls that went out in this day (UTC), each of a batch by itself. */
  readonly callsToday: () => number
}

/** Answers larger than this are not read: one bad node must not fill the memory of all. */
const maxAnswerBytes = 32 * 1024 * 1024

const dayMs = 24 * 60 * 60 * 1000

type Waiting = {
  id: number
  method: string
  params: readonly unknown[]
  signal: AbortSignal
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

export type UpstreamOptions = {
  name: string
  url: string
  fetch: typeof globalThis.fetch
  /** Told of calls before they go out, each of a batch by itself. What it throws keeps them back. */
  note: (calls: number) => void
  /** Unix time in ms. */
  now: () => number
}

/** Where a node is, and what goes with every request to it. */
type Endpoint = {
  name: string
  address: URL
  headers: Record<string, string>
  fetch: typeof globalThis.fetch
}

/** Speaks to the node at `url`; a user and password in it become an `authorization` header. */
export function createUpstream({ name, url, fetch, note, now }: UpstreamOptions): Upstream {
  const endpoint: Endpoint = { name, ...addressIn(url), fetch }
  let lastId = 0
  let queue: Waiting[] = []
  let takesBatches = true
  let counted = { day: 0, calls: 0 }

  const today = () => Math.floor(now() / dayMs)
  const callsToday = () => (counted.day === today() ? counted.calls : 0)

  return {
    name,
    callsToday,
    call(method, params, signal) {
      return new Promise((resolve, reject) => {
        lastId += 1
        const waiting = { id: lastId, method, params, signal, resolve, reject }
        // Not in a batch: some nodes refuse it there, and its answer must not wait for others'.
        if (method === 'eth_sendRawTransaction' || !takesBatches) return void exchange([waiting])
        if (queue.length === 0) void collect()
        queue.push(waiting)
      })
    },
  }

  async function collect(): Promise<void> {
    // Work that started together reaches its first call within a few microtasks.
    for (let turn = 0; turn < 4; turn += 1) await undefined
    const collected = queue
    queue = []
    for (let start = 0; start < collected.length; start += maxBatch) {
      void exchange(collected.slice(start, start + maxBatch))
    }
  }

  /** Settles every one of the waiting; never throws. */
  async function exchange(waiting: readonly Waiting[]): Promise<void> {
    const wait = untilAllGaveUp(waiting)
    try {
      note(waiting.length)
      counted = { day: today(), calls: callsToday() + waiting.length }
      const requests = waiting.map(({ id, method, params }) => ({
        jsonrpc: '2.0',
        id,
        method,
        params,
      }))
      const [single] = requests
      const many = requests.length > 1
      const answer = await post(endpoint, JSON.stringify(many ? requests : single), wait.signal)
      if (many && !Array.isArray(answer)) {
        takesBatches = false
        for (const one of waiting) void exchange([one])
        return
      }
      if (answer === undefined) throw new TransportError(`${name} gave no JSON-RPC answer`)
      const answers = new Map<unknown, unknown>()
      for (const one of Array.isArray(answer) ? answer : [answer]) {
        if (isObject(one)) answers.set(one.id, one)
      }
      for (const one of waiting) settle(one, answers.get(one.id), endpoint)
    } catch (error) {
      for (const one of waiting) {
        one.reject(
          error instanceof TransportError
            ? error
            : new TransportError(`${name} could not be reached`, { cause: error }),
        )
      }
    } finally {
      wait.end()
    }
  }
}

function settle({ resolve, reject }: Waiting, answer: unknown, { name, address }: Endpoint): void {
  if (!isObject(answer)) reject(new TransportError(`${name} left a request unanswered`))
  else if (isObject(answer.error)) reject(toRpcError(answer.error, address))
  else if ('result' in answer) resolve(answer.result)
  else reject(new TransportError(`${name} gave an answer that is not JSON-RPC`))
}

/** Undefined for what is no JSON-RPC at all: some gateways answer so to a batch, but not to its parts. */
async function post(endpoint: Endpoint, body: string, signal: AbortSignal): Promise<unknown> {
  const { name, address, headers, fetch } = endpoint
  const response = await fetch(address, { method: 'POST', headers, body, signal })
  if (Number(response.headers.get('content-length') ?? 0) > maxAnswerBytes) {
    await response.body?.cancel()
    throw new TransportError(`${name} gave an answer larger than is read`)
  }
  const text = await response.text()
  try {
    const answer: unknown = JSON.parse(text)
    // Many nodes put an error object into a response with a status of 4xx or 5xx.
    if (response.ok || (isObject(answer) && isObject(answer.error))) return answer
  } catch {
    return undefined
  }
  return undefined
}

function addressIn(url: string): { address: URL; headers: Record<string, string> } {
  const address = new URL(url)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
  }
  if (address.username !== '') {
    const user = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`
    headers.authorization = `Basic ${btoa(user)}`
    address.username = ''
    address.password = ''
  }
  return { address, headers }
}

/** Rejects each as soon as its own signal aborts, and aborts the exchange when none is left. */
function untilAllGaveUp(waiting: readonly Waiting[]): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController()
  let left = waiting.length
  const listeners = waiting.map(({ signal, reject }) => {
    const giveUp = (): void => {
      reject(new TransportError('the wait for an answer was ended', { cause: signal.reason }))
      left -= 1
      if (left === 0) controller.abort(signal.reason)
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    return { signal, giveUp }
  })
  return {
    signal: controller.signal,
    end: () => {
      for (const { signal, giveUp } of listeners) signal.removeEventListener('abort', giveUp)
    },
  }
}

function toRpcError(error: Record<string, unknown>, address: URL): RpcError {
  const { code, message, data } = error
  return new RpcError(
    Number.isSafeInteger(code) ? Number(code) : codes.internal,
    typeof message === 'string' ? withoutAddress(message, address) : 'internal error',
    withoutAddress(data, address),
  )
}

/** Some gateways print where they are, or the operator's key, into their errors. */
function withoutAddress<T>(value: T, address: URL): T | string {
  const { href, host, hostname, pathname } = address
  const secrets = [href, ...(pathname.length > 1 ? [pathname] : []), host]
  if (hostname.includes('.')) secrets.push(hostname)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (!secrets.some((secret) => text.includes(secret))) return value
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, 'the node'), text)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
