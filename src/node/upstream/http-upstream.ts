import { RpcError, TransportError } from '../../chain/rpc.ts'
import { dayMs } from '../../keys/api-keys.ts'
import { isObject, parseJson } from '../../runtime/json.ts'
import { codes } from '../codes.ts'

/** Limits the size of an answer, so that a bad node cannot fill the memory. */
const maxAnswerBytes = 32 * 1024 * 1024

type PendingCall = {
  id: number
  method: string
  params: readonly unknown[]
  signal: AbortSignal
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

type UpstreamOptions = {
  name: string
  url: string
  fetch: typeof globalThis.fetch
  /** Is called with the number of calls before they are sent. If it throws, they are not sent. */
  onCalls: ((calls: number) => void) | undefined
  now: () => number
}

type Endpoint = Pick<UpstreamOptions, 'name' | 'fetch'> &
  ReturnType<typeof parseAddress> & { onCalls: (calls: number) => void }

/** Limits how long a node's batch limit is used, in ms. Then a larger batch is tried again. */
const batchLimitLifetimeMs = 5 * 60 * 1000

/** Holds a node's answers by the ids of their calls, or the failure if there are none. */
type BatchAnswers = { answers: ReadonlyMap<unknown, Answer>; failure?: TransportError }

type Answer = Record<string, unknown>

export type Upstream = ReturnType<typeof createUpstream>

/** Limits a batch to what RSKj takes (`max_batch_requests_size`). */
const maxNodeBatch = 50

/** Creates a client for the node at `url`. Its credentials are sent in a header. */
export function createUpstream({ name, url, fetch, onCalls, now }: UpstreamOptions) {
  const endpoint: Endpoint = { name, ...parseAddress(url), fetch, onCalls: countCalls }
  let lastId = 0
  let queue: PendingCall[] = []
  let batchLimit = { size: maxNodeBatch, expiresAt: 0 }
  let dayCount = { day: 0, calls: 0 }

  const today = () => Math.floor(now() / dayMs)
  const callsToday = () => (dayCount.day === today() ? dayCount.calls : 0)

  return {
    /** Names the node in logs and metrics by its position in the list. */
    name,
    /** Counts the calls of this UTC day, each call of a batch by itself. */
    callsToday,
    /** Calls the node, in one batch with other calls of the moment. Errors hide its address. */
    call(method: string, params: readonly unknown[], signal: AbortSignal) {
      return new Promise<unknown>((resolve, reject) => {
        lastId += 1
        const pending = { id: lastId, method, params, signal, resolve, reject }
        // Not batched: calls of a batch may be sent twice, and wait for each other's answers.
        if (method === 'eth_sendRawTransaction') return void sendCalls([pending], endpoint)
        if (queue.length === 0) void sendQueue()
        queue.push(pending)
      })
    },
  }

  function countCalls(calls: number): void {
    onCalls?.(calls)
    dayCount = { day: today(), calls: callsToday() + calls }
  }

  async function sendQueue(): Promise<void> {
    // Waits a few microtasks, so that calls of the same moment share a batch.
    for (let turn = 0; turn < 4; turn += 1) await undefined
    const calls = queue
    queue = []
    const size = now() < batchLimit.expiresAt ? batchLimit.size : maxNodeBatch
    for (let start = 0; start < calls.length; start += size) {
      void sendBatch(calls.slice(start, start + size))
    }
  }

  async function sendBatch(batch: readonly PendingCall[]): Promise<void> {
    const answeredAtOnce = await sendCalls(batch, endpoint)
    // A node that answers no call is down. That shows nothing about its batch limit.
    if (answeredAtOnce > 0 && answeredAtOnce < batch.length)
      batchLimit = { size: answeredAtOnce, expiresAt: now() + batchLimitLifetimeMs }
  }
}

/** Settles a batch, in parts if needed. Returns how many calls one request answered at most. */
async function sendCalls(batch: readonly PendingCall[], endpoint: Endpoint): Promise<number> {
  try {
    endpoint.onCalls(batch.length)
  } catch (error) {
    for (const { reject } of batch) reject(toUnreachable(endpoint.name, error))
    return 0
  }
  const { answers, failure } = await fetchAnswers(endpoint, batch)
  const isSettled = ({ id }: PendingCall) => batch.length === 1 || isAboutCall(answers.get(id))
  const settled = batch.filter(isSettled)
  const answered = settled.filter((call) => settle(call, answers.get(call.id), endpoint, failure))
  const left = batch.filter((call) => !isSettled(call) && !call.signal.aborted)
  const unanswered = left.filter(({ id }) => !answers.has(id))
  const [firstFailed, ...failed] = left.filter(({ id }) => answers.has(id))
  const getsSameError = (call: PendingCall) => resendAlone(call, answers, endpoint)
  // The first failed call, sent by itself, shows whether the errors are about the batch.
  const areErrorsPerCall = firstFailed === undefined || (await getsSameError(firstFailed))
  const haveSameErrors = areErrorsPerCall ? await Promise.all(failed.map(getsSameError)) : []
  // All errors were about their own calls, so the node took the whole batch.
  if (unanswered.length === 0 && areErrorsPerCall && !haveSameErrors.includes(false))
    return answered.length + left.length
  const halves = [unanswered, areErrorsPerCall ? [] : failed].flatMap(splitInHalves)
  const counts = await Promise.all(halves.map((half) => sendCalls(half, endpoint)))
  return Math.max(answered.length, firstFailed === undefined ? 0 : 1, ...counts)
}

/** Sends a call by itself. Returns whether it gets the same error as in the batch. */
async function resendAlone(
  call: PendingCall,
  answers: BatchAnswers['answers'],
  endpoint: Endpoint,
): Promise<boolean> {
  let errorAlone: unknown
  const reject = (error: Error): void => {
    errorAlone = error
    call.reject(error)
  }
  await sendCalls([{ ...call, reject }], endpoint)
  const errorInBatch = toRpcError(answers.get(call.id)?.error as Answer, endpoint.address)
  return (
    errorAlone instanceof RpcError &&
    errorAlone.code === errorInBatch.code &&
    errorAlone.message === errorInBatch.message
  )
}

/** Tells whether an answer in a batch is about its own call and not about the batch. */
function isAboutCall(answer: Answer | undefined): boolean {
  if (answer === undefined) return false
  return !isObject(answer.error) || callErrorCodes.includes(answer.error.code)
}

const callErrorCodes: readonly unknown[] = [codes.reverted, codes.executionFailed]

function splitInHalves<Item>(items: readonly Item[]): (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)].filter((half) => half.length > 0)
}

/** Posts a batch. Drops all answers if one has an unknown id, or two have the same. */
async function fetchAnswers(
  endpoint: Endpoint,
  batch: readonly PendingCall[],
): Promise<BatchAnswers> {
  const cancellation = abortWithAll(batch)
  const noAnswers = new Map<unknown, Answer>()
  try {
    const requests = batch.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }))
    const [single] = requests
    const isSingle = requests.length === 1
    const body = JSON.stringify(isSingle ? single : requests)
    const response = await post(endpoint, body, cancellation.signal)
    if (response === undefined || !(isSingle || Array.isArray(response))) {
      const failure = new TransportError(`${endpoint.name} gave no JSON-RPC answer`)
      return { answers: noAnswers, failure }
    }
    const answerList = [response].flat().filter(isObject)
    const answers = new Map(answerList.map((answer) => [answer.id, answer]))
    const requestIds = new Set<unknown>(requests.map(({ id }) => id))
    const idsMatch =
      answers.size === answerList.length && answerList.every(({ id }) => requestIds.has(id))
    for (const [id, answer] of answers)
      if (!(isObject(answer.error) || 'result' in answer)) answers.delete(id)
    return { answers: isSingle || idsMatch ? answers : noAnswers }
  } catch (error) {
    return { answers: noAnswers, failure: toUnreachable(endpoint.name, error) }
  } finally {
    cancellation.end()
  }
}

function toUnreachable(name: string, error: unknown): TransportError {
  if (error instanceof TransportError) return error
  return new TransportError(`${name} could not be reached`, { cause: error })
}

/** Resolves or rejects a call. Returns false if the node left it unanswered. */
function settle(
  { resolve, reject }: PendingCall,
  answer: Answer | undefined,
  { name, address }: Endpoint,
  failure: TransportError | undefined,
): boolean {
  if (answer === undefined)
    reject(failure ?? new TransportError(`${name} left a request unanswered`))
  else if (isObject(answer.error)) reject(toRpcError(answer.error, address))
  else resolve(answer.result)
  return answer !== undefined
}

/** Posts a body. Returns undefined if the answer is not JSON-RPC. */
async function post(endpoint: Endpoint, body: string, signal: AbortSignal | null) {
  const { name, href, headers, fetch } = endpoint
  const response = await fetch(href, { method: 'POST', headers, body, signal })
  if (Number(response.headers.get('content-length') ?? 0) > maxAnswerBytes) {
    await response.body?.cancel()
    throw new TransportError(`${name} sent an answer of more than ${maxAnswerBytes} bytes`)
  }
  const answer = parseJson(await response.text())
  // Many nodes send a JSON-RPC error with a status of 4xx or 5xx.
  if (!isObject(answer) || !isObject(answer.error)) return response.ok ? answer : undefined
  if (response.status !== 429) return answer
  return { ...answer, error: { ...answer.error, code: codes.limitExceeded } }
}

function parseAddress(url: string) {
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
  return { address, href: address.href, headers }
}

/** Rejects calls when their signal aborts, and aborts the request once all signals have. */
function abortWithAll(pending: readonly PendingCall[]) {
  const callsBySignal = Map.groupBy(pending, ({ signal }) => signal)
  // Calls of one message have one signal, which is the request's too.
  const controller = callsBySignal.size === 1 ? undefined : new AbortController()
  let openSignals = callsBySignal.size
  const listeners = Array.from(callsBySignal, ([signal, calls]) => {
    const cancel = (): void => {
      const failure = new TransportError('the request was cancelled', { cause: signal.reason })
      for (const { reject } of calls) reject(failure)
      openSignals -= 1
      if (openSignals === 0) controller?.abort(signal.reason)
    }
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
    return { signal, cancel }
  })
  return {
    signal: (controller ?? pending[0])?.signal ?? null,
    end: () => {
      for (const { signal, cancel } of listeners) signal.removeEventListener('abort', cancel)
    },
  }
}

function toRpcError(error: Record<string, unknown>, address: URL): RpcError {
  const { code, message, data } = error
  return new RpcError(
    Number.isSafeInteger(code) ? Number(code) : codes.internal,
    typeof message === 'string' ? removeAddress(message, address) : 'internal error',
    removeAddress(data, address),
  )
}

/** Removes the node's address, which may contain an API key, from an error. */
function removeAddress<T>(value: T, address: URL): T | string {
  const { href, host, hostname, pathname } = address
  const secrets = [href, ...(pathname.length > 1 ? [pathname] : []), host]
  if (hostname.includes('.')) secrets.push(hostname)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (!secrets.some((secret) => text.includes(secret))) return value
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, 'the node'), text)
}
