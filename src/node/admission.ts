import { RpcError, TransportError } from '../chain/rpc.ts'
import type { GrantedKey, Spent } from '../keys/api-keys.ts'
import type { Clock } from '../runtime/clock.ts'
import { describeFault, type Log } from '../runtime/log.ts'
import { withinTime } from '../runtime/time-limit.ts'
import { codes, notAvailable } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { errorText, type Message, parseMessage, type Request, successText } from './message.ts'
import { MalformedAnswer, UntrueAnswer } from './objects/bad-answers.ts'
import type { NodeService } from './service.ts'

/** Limits a message's time, in ms, so that its answer arrives before callers give up after 8 s. */
const timeLimitMs = 7_500

const maxResponseLength = 10 * 1024 * 1024

/** Describes the result of a client's message, over HTTP or WebSocket. */
export type MessageOutcome =
  /** Has no `text` where the message holds only notifications. */
  | { kind: 'answered'; message: Message; text: string | undefined }
  /** Is refused with an HTTP status; `resetAt` says until when a key's quota is spent. */
  | { kind: 'refused'; status: 400 | 429 | 503; message: Message; error: RpcError; resetAt?: Date }
  | { kind: 'unknown_key' }

/** Holds the key that pays for a message's calls, or the reason for a refusal. */
export type Admission = GrantedKey | { kind: 'unknown' } | { kind: 'refused'; error: RpcError }

export type AdmissionOptions = {
  service: NodeService
  /** Is called once, when the number of the message's calls is known. */
  admit: (calls: number) => Promise<Admission>
  /** Returns what a WebSocket client subscribes with; undefined over HTTP. */
  getSubscriptions: ((key: GrantedKey) => Subscriptions) | undefined
  /** Takes work for whose answers others may wait. */
  background: (work: Promise<unknown>) => void
  clock: Clock
  log: Log
}

/** Parses a message, finds its key, counts its calls and answers it; never throws. */
export async function answerMessage(
  text: string,
  options: AdmissionOptions,
): Promise<MessageOutcome> {
  const { admit, getSubscriptions, background, log } = options
  const message = parseMessage(text)
  const requests = listRequests(message)
  const calls = Math.max(1, requests.length)
  let key: Admission
  let spent: Spent | undefined
  try {
    key = await admit(calls)
    if (key.kind === 'unknown') return { kind: 'unknown_key' }
    if (key.kind === 'refused') return { ...key, status: 429, message }
    spent = await key.spend(calls)
  } catch (error) {
    log({ level: 'error', event: 'rpc.failed', message: describeFault(error) })
    return { kind: 'refused', status: 503, message, error: unavailable() }
  }
  if (spent !== undefined) return { ...overQuota(spent), kind: 'refused', status: 429, message }
  // What cannot be read counts as one call: reading it was work.
  if (message.kind === 'refused') return { ...message, status: 400, message }

  const caller = { ...options, methods: key.methods, subscriptions: getSubscriptions?.(key) }
  const responding = Promise.all(requests.map((request) => respond(request, caller)))
  background(responding)
  return { kind: 'answered', message, text: writeAnswer(message, await responding) }
}

export function unavailable(): RpcError {
  return new RpcError(codes.internal, 'not available now, try again')
}

/** Puts an error in the place of each response to a message. */
export function renderRefusals(message: Message, error: RpcError): string | undefined {
  if (message.kind === 'refused') return errorText('null', error)
  const refusals = listRequests(message).map(({ id }) => id && errorText(id, error))
  return writeAnswer(message, refusals)
}

function listRequests(message: Message): readonly Request[] {
  if (message.kind === 'refused') return []
  return message.kind === 'batch' ? message.requests : [message.request]
}

/** Makes one text of the responses to a message; undefined where it needs none. */
function writeAnswer(
  message: Message,
  responses: readonly (string | undefined)[],
): string | undefined {
  if (message.kind !== 'batch') return responses[0]
  let length = 0
  const fitting = responses.flatMap((response, index) => {
    if (response === undefined) return []
    length += response.length
    if (length <= maxResponseLength) return response
    const tooLong = 'the answer to the batch is too large: ask for less'
    return errorText(message.requests[index]?.id ?? 'null', new RpcError(codes.timeout, tooLong))
  })
  return fitting.length === 0 ? undefined : `[${fitting.join(',')}]`
}

function overQuota({ resetAt, of }: Spent): { error: RpcError; resetAt: Date } {
  const time = resetAt.toISOString()
  const message = {
    day: `daily quota exceeded, resets at ${time}`,
    second: `too many calls a second, try again at ${time}`,
  }[of]
  return { error: new RpcError(codes.limitExceeded, message, { resetAt: time }), resetAt }
}

type Caller = Pick<AdmissionOptions, 'service' | 'clock' | 'log'> & {
  methods: GrantedKey['methods']
  subscriptions: Subscriptions | undefined
}

/** Gives the response to one request; `undefined` to a notification. Never throws. */
async function respond(request: Request, caller: Caller): Promise<string | undefined> {
  if (request.kind === 'invalid') return errorText(request.id, request.error)
  const { id, method, params } = request
  const { service, methods, subscriptions, clock, log } = caller
  try {
    if (methods !== undefined && !methods.has(method)) throw notAvailable(method, ' for this key')
    const result = await withinTime(clock, timeLimitMs, (signal) =>
      service.answer(method, params, signal, subscriptions),
    )
    return id === undefined ? undefined : successText(id, result)
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof TransportError)) {
      log({ level: 'error', event: 'rpc.failed', message: describeFault(error) })
    }
    return id === undefined ? undefined : errorText(id, toRpcError(error, method))
  }
}

/** Tells the client what it may do: a fault's own words are for the log. */
function toRpcError(error: unknown, method: string): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof TransportError)) return new RpcError(codes.internal, 'internal error')
  return new RpcError(codes.timeout, `no node gave an answer${describeError(error, method)}`)
}

function describeError(error: TransportError, method: string): string {
  if (method === 'eth_sendRawTransaction') return ': the transaction may have been sent'
  const isNotBelieved = [error, error.cause].some(
    (fault) => fault instanceof UntrueAnswer || fault instanceof MalformedAnswer,
  )
  return isNotBelieved ? ' that can be believed' : ' in time: ask again, or for less'
}
