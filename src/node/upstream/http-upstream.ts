import { RpcError, TransportError } from '../../chain/rpc.ts'
import { dayMs } from '../../keys/key-store.ts'
import { isObject, parseJson } from '../../runtime/json.ts'
import { codes } from '../codes.ts'
import { maxBatch } from '../message.ts'

/** Answers larger than this are not read: one bad node must not fill the memory of all. */
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
  /** Is called with the number of calls before they are sent; what it throws stops them. */
  note: (calls: number) => void
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

/** Sets the time in ms after which a node's largest batch is learnt anew. */
const learntMs = 5 * 60 * 1000

/** Holds a node's answers to calls by their ids, or the reason for having none. */
type Heard = { answers: ReadonlyMap<unknown, Answer>; failure?: TransportError }

type Answer = Record<string, unknown>

export type Upstream = ReturnType<typeof createUpstream>

/** Speaks to the node at `url`; a user and password in it become an `authorization` header. */
export function createUpstream({ name, url, fetch, note, now }: UpstreamOptions) {
  const endpoint: Endpoint = { name, ...addressIn(url), fetch, count }
  let lastId = 0
  let queue: Waiting[] = []
  let learnt = { most: maxBatch, until: 0 }
  let counted = { day: 0, calls: 0 }

  const today = () => Math.floor(now() / dayMs)
  const callsToday = () => (counted.day === today() ? counted.calls : 0)

  return {
    /** Names the node in logs and metrics by its place in the list. */
    name,
    /** Calls that went out in this day (UTC), each of a batch by itself. */
    callsToday,
    /** Asks the node, throws its error without its address, and batches the calls of a turn. */
    call(method: string, params: readonly unknown[], signal: AbortSignal) {
      return new Promise<unknown>((resolve, reject) => {
        lastId += 1
        const waiting = { id: lastId, method, params, signal, resolve, reject }
        // Never in a batch, of which calls are asked again; nor must its answer wait for others'.
        if (method === 'eth_sendRawTransaction') return void exchange([waiting], endpoint)
        if (queue.length === 0) void collect()
        queue.push(waiting)
      })
    },
  }

  function count(calls: number): void {
    note(calls)
    counted = { day: today(), calls: callsToday() + calls }
  }

  async function collect(): Promise<void> {
    // Work that started together reaches its first call within a few microtasks.
    for (let turn = 0; turn < 4; turn += 1) await undefined
    const collected = queue
    queue = []
    const most = now() < learnt.until ? learnt.most : maxBatch
    for (let start = 0; start < collected.length; start += most) {
      void learn(collected.slice(start, start + most))
    }
  }

  async function learn(batch: readonly Waiting[]): Promise<void> {
    const passed = await exchange(batch, endpoint)
    // A node that answers nothing is gone, and tells nothing of batches.
    if (passed > 0 && passed < batch.length) learnt = { most: passed, until: now() + learntMs }
  }
}

/** Settles all of a batch, in halves and then singly; gives how many were answered at once. */
async function exchange(batch: readonly Waiting[], endpoint: Endpoint): Promise<number> {
  try {
    endpoint.count(batch.length)
  } catch (error) {
    for (const { reject } of batch) reject(unreached(endpoint.name, error))
    return 0
  }
  const { answers, failure } = await hear(endpoint, batch)
  const settleOne = (one: Waiting) => settle(one, answers.get(one.id), endpoint, failure)
  const open = batch.length === 1 ? [] : batch.filter(({ id }) => !isCertain(answers.get(id)))
  const settled = batch.filter((one) => !open.includes(one)).filter(settleOne).length
  return open.length === 0
    ? settled
    : Math.max(settled, await askAgain(open, answers, settled, endpoint))
}

/**
 * Asks again for what a batch left open: missing answers, and errors that may concern the batch.
 */
async function askAgain(
  open: readonly Waiting[],
  answers: Heard['answers'],
  settled: number,
  endpoint: Endpoint,
): Promise<number> {
  const waiting = open.filter(({ signal }) => !signal.aborted)
  const silent = waiting.filter(({ id }) => !answers.has(id))
  const [first, ...others] = waiting.filter(({ id }) => answers.has(id))
  const alone = (one: Waiting) => isSaidAlone(one, answers, endpoint)
  // One of the errors tells of which kind they are.
  const isOwn = first === undefined || (await alone(first))
  const own = isOwn ? await Promise.all(others.map(alone)) : []
  if (silent.length === 0 && isOwn && !own.includes(false)) return settled + waiting.length
  const halves = [silent, isOwn ? [] : others].flatMap(inHalves)
  return Math.max(
    first === undefined ? 0 : 1,
    ...(await Promise.all(halves.map((half) => exchange(half, endpoint)))),
  )
}

/** Tells whether a call has the same error when it is asked alone. */
async function isSaidAlone(
  one: Waiting,
  answers: Heard['answers'],
  endpoint: Endpoint,
): Promise<boolean> {
  let said: unknown
  const reject = (error: Error): void => {
    said = error
    one.reject(error)
  }
  await exchange([{ ...one, reject }], endpoint)
  const before = toRpcError(answers.get(one.id)?.error as Answer, endpoint.address)
  return said instanceof RpcError && said.code === before.code && said.message === before.message
}

/** Tells whether the answer to a call of a batch surely concerns that call. */
function isCertain(answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  return !isObject(answer.error) || ownErrors.includes(answer.error.code)
}

const ownErrors: readonly unknown[] = [codes.reverted, codes.executionFailed]

function inHalves<Item>(items: readonly Item[]): (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0)
}

/** Asks a node; what it says of calls that were not asked, or twice, says nothing of any. */
async function hear(endpoint: Endpoint, batch: readonly Waiting[]): Promise<Heard> {
  const wait = untilAllGaveUp(batch)
  const nothing = new Map<unknown, Answer>()
  try {
    const requests = batch.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }))
    const [single] = requests
    const isSingle = requests.length === 1
    const said = await post(endpoint, JSON.stringify(isSingle ? single : requests), wait.signal)
    if (said === undefined || !(isSingle || Array.isArray(said))) {
      const failure = new TransportError(`${endpoint.name} gave no JSON-RPC answer`)
      return { answers: nothing, failure }
    }
    const all = [said].flat().filter(isObject)
    const answers = new Map(all.map((one) => [one.id, one]))
    const asked = new Set<unknown>(requests.map(({ id }) => id))
    const isOwn = answers.size === all.length && all.every(({ id }) => asked.has(id))
    for (const [id, one] of answers) if (!isAnswer(one)) answers.delete(id)
    return { answers: isSingle || isOwn ? answers : nothing }
  } catch (error) {
    return { answers: nothing, failure: unreached(endpoint.name, error) }
  } finally {
    wait.end()
  }
}

const isAnswer = (one: Answer): boolean => isObject(one.error) || 'result' in one

function unreached(name: string, error: unknown): TransportError {
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

/** Posts a body; returns undefined for an answer that is no JSON-RPC, as some give to batches. */
async function post(endpoint: Endpoint, body: string, signal: AbortSignal): Promise<unknown> {
  const { name, address, headers, fetch } = endpoint
  const response = await fetch(address, { method: 'POST', headers, body, signal })
  if (Number(response.headers.get('content-length') ?? 0) > maxAnswerBytes) {
    await response.body?.cancel()
    throw new TransportError(`${name} gave an answer larger than is read`)
  }
  const answer = parseJson(await response.text())
  // Many nodes put an error object into a response with a status of 4xx or 5xx.
  if (!isObject(answer) || !isObject(answer.error)) return response.ok ? answer : undefined
  if (response.status !== 429) return answer
  return { ...answer, error: { ...answer.error, code: codes.limitExceeded } }
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

/** Removes the node's address, which may hold a key, from what a gateway prints in errors. */
function withoutAddress<T>(value: T, address: URL): T | string {
  const { href, host, hostname, pathname } = address
  const secrets = [href, ...(pathname.length > 1 ? [pathname] : []), host]
  if (hostname.includes('.')) secrets.push(hostname)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (!secrets.some((secret) => text.includes(secret))) return value
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, 'the node'), text)
}
