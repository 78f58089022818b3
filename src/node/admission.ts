import { MalformedAnswer, RpcError, TransportError, UntrueAnswer } from '../chain/rpc.ts'
import type { GrantedKey, QuotaRefusal } from '../keys/api-keys.ts'
import { type Clock, runWithTimeLimit } from '../runtime/clock.ts'
import { describeFault, type Log } from '../runtime/log.ts'
import { codes, createNotAvailableError } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { formatError, formatSuccess, type Message, type RpcRequest } from './message.ts'
import type { NodeService } from './service.ts'

/** Limits the time for a message, in ms, because callers stop waiting after 8 s. */
const maxMessageMs = 7_500

const maxResponseLength = 10 * 1024 * 1024

export type MessageOutcome =
  /** Has no `text` if the message holds only notifications. */
  | { kind: 'answered'; text: string | undefined }
  /** Carries an HTTP status; `resetAt` is when a spent quota is available again. */
  | { kind: 'refused'; status: 400 | 429 | 503; error: RpcError; resetAt?: Date }

export type AdmissionOptions = {
  service: NodeService
  /** Holds the subscriptions of a WebSocket client; undefined over HTTP. */
  subscriptions: Subscriptions | undefined
  /** Keeps the runtime alive for work whose answers other requests may wait for. */
  waitUntil: (work: Promise<unknown>) => void
  clock: Clock
  log: Log
}

/** Counts a message's calls against the key's quota, and answers it; never throws. */
export async function answerMessage(
  message: Message,
  key: GrantedKey,
  options: AdmissionOptions,
): Promise<MessageOutcome> {
  const { clock, waitUntil, log } = options
  let quotaRefusal: QuotaRefusal | undefined
  try {
    quotaRefusal = await key.spend(countCalls(message))
  } catch (error) {
    return { kind: 'refused', status: 503, error: reportUnavailable(error, log) }
  }
  if (quotaRefusal !== undefined)
    return { ...quotaRefusal, kind: 'refused', status: 429, error: createQuotaError(quotaRefusal) }
  if (message.kind === 'refused') return { ...message, status: 400 }

  const caller = { ...options, methods: key.methods }
  const responses = runWithTimeLimit(clock, maxMessageMs, (signal) =>
    Promise.all(listRequests(message).map((request) => answerRequest(request, caller, signal))),
  )
  waitUntil(responses)
  return { kind: 'answered', text: joinResponses(message, await responses) }
}

/** Counts a message's calls: an unreadable one is one call, since parsing it took time. */
export const countCalls = (message: Message): number => Math.max(1, listRequests(message).length)

/** Logs a fault outside of the nodes, and returns what the client is told of it. */
export function reportUnavailable(fault: unknown, log: Log): RpcError {
  log({ level: 'error', event: 'rpc.failed', message: describeFault(fault) })
  return new RpcError(codes.internal, 'not available now, try again')
}

/** Renders an error in place of each response to a message. */
export function renderRefusals(message: Message, error: RpcError): string | undefined {
  if (message.kind === 'refused') return formatError('null', error)
  const refusals = listRequests(message).map(({ id }) => id && formatError(id, error))
  return joinResponses(message, refusals)
}

function listRequests(message: Message): readonly RpcRequest[] {
  if (message.kind === 'refused') return []
  return message.kind === 'batch' ? message.requests : [message.request]
}

/** Joins the responses to a message; returns undefined if it needs none. */
function joinResponses(message: Message, responses: readonly (string | undefined)[]) {
  if (message.kind !== 'batch') return responses[0]
  let length = 0
  const keptResponses = responses.flatMap((response, index) => {
    if (response === undefined) return []
    length += response.length
    if (length <= maxResponseLength) return response
    const tooLong = `an answer to a batch has at most ${maxResponseLength} characters: ask for less`
    return formatError(message.requests[index]?.id ?? 'null', new RpcError(codes.timeout, tooLong))
  })
  return keptResponses.length === 0 ? undefined : `[${keptResponses.join(',')}]`
}

function createQuotaError({ resetAt, period }: QuotaRefusal): RpcError {
  const time = resetAt.toISOString()
  const message = {
    day: `daily quota exceeded, resets at ${time}`,
    second: `too many calls a second, try again at ${time}`,
  }[period]
  return new RpcError(codes.limitExceeded, message, { resetAt: time })
}

type Caller = AdmissionOptions & Pick<GrantedKey, 'methods'>

/** Answers one request; returns undefined for a notification. Never throws. */
async function answerRequest(request: RpcRequest, caller: Caller, signal: AbortSignal) {
  if (request.kind === 'invalid') return formatError(request.id, request.error)
  const { id, method, params } = request
  const { service, methods, subscriptions, log } = caller
  try {
    if (methods !== undefined && !methods.has(method))
      throw createNotAvailableError(method, ' for this key')
    const result = await service.answer(method, params, signal, subscriptions)
    return id === undefined ? undefined : formatSuccess(id, result)
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof TransportError)) {
      log({ level: 'error', event: 'rpc.failed', message: describeFault(error) })
    }
    return id === undefined ? undefined : formatError(id, toRpcError(error, method))
  }
}

/** Converts an error for the client; the text of an internal fault goes to the log only. */
function toRpcError(error: unknown, method: string): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof TransportError)) return new RpcError(codes.internal, 'internal error')
  const reason = describeMissingAnswer(error, method)
  return new RpcError(codes.timeout, `no node gave an answer${reason}`)
}

function describeMissingAnswer(error: TransportError, method: string): string {
  if (method === 'eth_sendRawTransaction') return ': the transaction may have been sent'
  const isUntrue = [error, error.cause].some(
    (fault) => fault instanceof UntrueAnswer || fault instanceof MalformedAnswer,
  )
  return isUntrue ? ' that can be believed' : ' in time: ask again, or for less'
}

const maxBytes = { perCustomer: 4 * 1024 * 1024, total: 32 * 1024 * 1024 }

/** Limits a customer's bytes per ms; the slowest known message takes a third of that time. */
const bytesPerMs = 6_000

export type CustomerBudgets = ReturnType<typeof createCustomerBudgets>

/** Creates limits of memory and time per customer, so that no customer starves another. */
export function createCustomerBudgets({ now, sleep }: Pick<Clock, 'now' | 'sleep'>) {
  const customers = new Map<string, { heldBytes: number; busyUntil: number }>()
  let totalHeldBytes = 0

  function getBudget(customer: string): { heldBytes: number; busyUntil: number } {
    const budget = customers.get(customer) ?? { heldBytes: 0, busyUntil: 0 }
    customers.set(customer, budget)
    return budget
  }

  return {
    /** Reserves bytes for a customer; returns false if a limit is reached. */
    reserve(customer: string, bytes: number): boolean {
      const budget = getBudget(customer)
      const isFull = budget.heldBytes + bytes > maxBytes.perCustomer
      if (isFull || totalHeldBytes + bytes > maxBytes.total) return false
      budget.heldBytes += bytes
      totalHeldBytes += bytes
      return true
    },
    release(customer: string, bytes: number): void {
      getBudget(customer).heldBytes -= bytes
      totalHeldBytes -= bytes
    },
    /** Waits until the time of the customer's earlier messages is over. */
    async waitTurn(customer: string, bytes: number): Promise<void> {
      const budget = getBudget(customer)
      const waitMs = Math.floor(budget.busyUntil - now())
      budget.busyUntil = Math.max(budget.busyUntil, now()) + bytes / bytesPerMs
      if (waitMs > 0) await sleep(waitMs)
    },
  }
}

export function createTooManyBytesError(): RpcError {
  const { perCustomer, total } = maxBytes
  const words = `the requests of one key have at most ${perCustomer} bytes at a time, those of all keys ${total}`
  return new RpcError(codes.limitExceeded, words)
}
