import { RpcError, TransportError } from '../../chain/rpc.ts'
import { dayMs } from '../../keys/key-store.ts'
import { isObject, parseJson } from '../../runtime/json.ts'
import { codes } from '../codes.ts'
import { maxBatch } from '../message.ts'

/** Limits the size of an answer, so that one bad node cannot fill the memory. */
const maxAnswerBytes = 32 * 1024 * 1024

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
  /** Is called with the number of calls before they are sent; an exception stops them. */
  onCalls: (calls: number) => void
  now: () => number
}

/** Holds a node's address and the headers of each request to it. */
type Endpoint = {
  name: string
  address: URL
  headers: Record<string, string>
  fetch: typeof globalThis.fetch
  count: (calls: number) => void
}

/** Sets the time in ms after which a node's batch limit is tried again. */
const batchLimitMs = 5 * 60 * 1000

/** Holds a node's answers by the ids of their calls, or why there are none. */
type BatchAnswers = { answers: ReadonlyMap<unknown, Answer>; failure?: TransportError }

type Answer = Record<string, unknown>

export type Upstream = ReturnType<typeof createUpstream>

/** Creates a client for the node at `url`; credentials in it become an `authorization` header. */
export function createUpstream({ name, url, fetch, onCalls, now }: UpstreamOptions) {
  const endpoint: Endpoint = { name, ...parseAddress(url), fetch, count }
  let lastId = 0
  let queue: Waiting[] = []
  let batchLimit = { most: maxBatch, until: 0 }
  let counted = { day: 0, calls: 0 }

  const today = () => Math.floor(now() / dayMs)
  const callsToday = () => (counted.day === today() ? counted.calls : 0)

  return {
    /** Names the node in logs and metrics by its place in the list. */
    name,
    /** Counts the calls of this UTC day, each call of a batch by itself. */
    callsToday,
    /** Calls the node; batches the calls of a turn, and removes the node's address from errors. */
    call(method: string, params: readonly unknown[], signal: AbortSignal) {
      return new Promise<unknown>((resolve, reject) => {
        lastId += 1
        const waiting = { id: lastId, method, params, signal, resolve, reject }
        // Never batched: a batch's calls may be sent again, and their answers wait for each other.
        if (method === 'eth_sendRawTransaction') return void exchange([waiting], endpoint)
        if (queue.length === 0) void collect()
        queue.push(waiting)
      })
    },
  }

  function count(calls: number): void {
    onCalls(calls)
    counted = { day: today(), calls: callsToday() + calls }
  }

  async function collect(): Promise<void> {
    // Tasks that start together reach their first call within a few microtasks.
    for (let turn = 0; turn < 4; turn += 1) await undefined
    const collected = queue
    queue = []
    const most = now() < batchLimit.until ? batchLimit.most : maxBatch
    for (let start = 0; start < collected.length; start += most) {
      void sendBatch(collected.slice(start, start + most))
    }
  }

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    const passed = await exchange(batch, endpoint)
    // A node that answers nothing is down, which says nothing about its batch limit.
    if (passed > 0 && passed < batch.length)
      batchLimit = { most: passed, until: now() + batchLimitMs }
  }
}

/** Settles a batch, split further where needed; returns how many calls one request answered. */
async function exchange(batch: readonly Waiting[], endpoint: Endpoint): Promise<number> {
  try {
    endpoint.count(batch.length)
  } catch (error) {
    for (const { reject } of batch) reject(toUnreachable(endpoint.name, error))
    return 0
  }
  const { answers, failure } = await fetchAnswers(endpoint, batch)
  const settleOne = (one: Waiting) => settle(one, answers.get(one.id), endpoint, failure)
  const open = batch.length === 1 ? [] : batch.filter(({ id }) => !isCertain(answers.get(id)))
  const settled = batch.filter((one) => !open.includes(one)).filter(settleOne).length
  return open.length === 0
    ? settled
    : Math.max(settled, await askAgain(open, answers, settled, endpoint))
}

/**
 * Sends again what a batch left open: missing answers, and errors that may be about the batch.
 */
async function askAgain(
  open: readonly Waiting[],
  answers: BatchAnswers['answers'],
  settled: number,
  endpoint: Endpoint,
): Promise<number> {
  const waiting = open.filter(({ signal }) => !signal.aborted)
  const silent = waiting.filter(({ id }) => !answers.has(id))
  const [first, ...others] = waiting.filter(({ id }) => answers.has(id))
  const alone = (one: Waiting) => repeatsAlone(one, answers, endpoint)
  // The first error, asked alone, shows whether the errors are about the batch.
  const isOwn = first === undefined || (await alone(first))
  const own = isOwn ? await Promise.all(others.map(alone)) : []
  if (silent.length === 0 && isOwn && !own.includes(false)) return settled + waiting.length
  const halves = [silent, isOwn ? [] : others].flatMap(splitInHalves)
  return Math.max(
    first === undefined ? 0 : 1,
    ...(await Promise.all(halves.map((half) => exchange(half, endpoint)))),
  )
}

/** Tells whether a call sent alone gets the same error. */
async function repeatsAlone(
  one: Waiting,
  answers: BatchAnswers['answers'],
  endpoint: Endpoint,
): Promise<boolean> {
  let answered: unknown
  const reject = (error: Error): void => {
    answered = error
    one.reject(error)
  }
  await exchange([{ ...one, reject }], endpoint)
  const before = toRpcError(answers.get(one.id)?.error as Answer, endpoint.address)
  return (
    answered instanceof RpcError &&
    answered.code === before.code &&
    answered.message === before.message
  )
}

/** Tells whether an answer in a batch is certainly about its own call. */
function isCertain(answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  return !isObject(answer.error) || ownErrors.includes(answer.error.code)
}

const ownErrors: readonly unknown[] = [codes.reverted, codes.executionFailed]

function splitInHalves<Item>(items: readonly Item[]): (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0)
}

/** Posts a batch; drops all answers if one has an unknown id or an id twice. */
async function fetchAnswers(endpoint: Endpoint, batch: readonly Waiting[]): Promise<BatchAnswers> {
  const wait = abortWithAll(batch)
  const nothing = new Map<unknown, Answer>()
  try {
    const requests = batch.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }))
    const [single] = requests
    const isSingle = requests.length === 1
    const answered = await post(endpoint, JSON.stringify(isSingle ? single : requests), wait.signal)
    if (answered === undefined || !(isSingle || Array.isArray(answered))) {
      const failure = new TransportError(`${endpoint.name} gave no JSON-RPC answer`)
      return { answers: nothing, failure }
    }
    const all = [answered].flat().filter(isObject)
    const answers = new Map(all.map((one) => [one.id, one]))
    const asked = new Set<unknown>(requests.map(({ id }) => id))
    const isOwn = answers.size === all.length && all.every(({ id }) => asked.has(id))
    for (const [id, one] of answers) if (!isAnswer(one)) answers.delete(id)
    return { answers: isSingle || isOwn ? answers : nothing }
  } catch (error) {
    return { answers: nothing, failure: toUnreachable(endpoint.name, error) }
  } finally {
    wait.end()
  }
}

const isAnswer = (one: Answer): boolean => isObject(one.error) || 'result' in one

function toUnreachable(name: string, error: unknown): TransportError {
  if (error instanceof TransportError) return error
  return new TransportError(`${name} could not be reached`, { cause: error })
}

function settle(
  { resolve, reject }: Waiting,
  answer: Answer | undefined,
  { name, address }: Endpoint,
  failure = new TransportError(`${name} left a request unanswered`),
): boolean {
  if (answer === undefined) reject(failure)
  else if (isObject(answer.error)) reject(toRpcError(answer.error, address))
  else resolve(answer.result)
  return answer !== undefined
}

/** Posts a body; returns undefined if the answer is not JSON-RPC, as some nodes do to batches. */
async function post(endpoint: Endpoint, body: string, signal: AbortSignal): Promise<unknown> {
  const { name, address, headers, fetch } = endpoint
  const response = await fetch(address, { method: 'POST', headers, body, signal })
  if (Number(response.headers.get('content-length') ?? 0) > maxAnswerBytes) {
    await response.body?.cancel()
    throw new TransportError(`${name} gave an answer larger than is read`)
  }
  const answer = parseJson(await response.text())
  // Many nodes send a JSON-RPC error with a status of 4xx or 5xx.
  if (!isObject(answer) || !isObject(answer.error)) return response.ok ? answer : undefined
  if (response.status !== 429) return answer
  return { ...answer, error: { ...answer.error, code: codes.limitExceeded } }
}

function parseAddress(url: string): { address: URL; headers: Record<string, string> } {
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

/** Rejects each call when its signal aborts, and aborts the request when all have. */
function abortWithAll(waiting: readonly Waiting[]): { signal: AbortSignal; end: () => void } {
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

/** Removes the node's address, which may contain an API key, from an error. */
function withoutAddress<T>(value: T, address: URL): T | string {
  const { href, host, hostname, pathname } = address
  const secrets = [href, ...(pathname.length > 1 ? [pathname] : []), host]
  if (hostname.includes('.')) secrets.push(hostname)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (!secrets.some((secret) => text.includes(secret))) return value
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, 'the node'), text)
}
