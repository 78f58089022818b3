import { RpcError, TransportError } from '../chain/rpc.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import { withinTime } from '../runtime/time-limit.ts'
import { codes } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { errorText, type Request, successText } from './message.ts'
import { notAvailable } from './not-available.ts'
import { MalformedAnswer, UntrueAnswer } from './objects/bad-answers.ts'
import type { NodeService } from './service.ts'

/** No caller waits longer than 8 s; this leaves time for the answer's way. */
export const timeLimitMs = 7_500

/** The longest response, a batch's too, in characters. */
export const maxResponseLength = 10 * 1024 * 1024

/** Who asks, and what may be used to answer. */
export type Caller = {
  service: NodeService
  /** The only methods that the key may call, if it is so limited. */
  methods: ReadonlySet<string> | undefined
  /** Of the WebSocket that the request came over; undefined over HTTP. */
  subscriptions: Subscriptions | undefined
  clock: Clock
  log: Log
}

/** The response to one request; `undefined` to a notification. Never throws. */
export async function respond(request: Request, caller: Caller): Promise<string | undefined> {
  if (request.kind === 'invalid') return errorText(request.id, request.error)
  const { id, method, params } = request
  const { service, methods, subscriptions, clock, log } = caller
  try {
    if (methods !== undefined && !methods.has(method)) {
      throw notAvailable(method, ' for this key')
    }
    const result = await withinTime(clock, timeLimitMs, (signal) =>
      service.answer(method, params, signal, subscriptions),
    )
    return id === undefined ? undefined : successText(id, result)
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof TransportError)) {
      log({ level: 'error', event: 'rpc.failed', message: faultOf(error) })
    }
    return id === undefined ? undefined : errorText(id, toRpcError(error, method))
  }
}

/** Responses to requests as one, or `undefined` without a response; too long ones are left out. */
export function joinResponses(
  requests: readonly Request[],
  responses: readonly (string | undefined)[],
): string | undefined {
  let length = 0
  const fitting = responses.flatMap((response, index) => {
    if (response === undefined) return []
    length += response.length
    return length <= maxResponseLength
      ? response
      : errorText(requests[index]?.id ?? 'null', tooLong())
  })
  return fitting.length === 0 ? undefined : `[${fitting.join(',')}]`
}

function tooLong(): RpcError {
  return new RpcError(codes.timeout, 'the answer to the batch is too large: ask for less')
}

/** A fault's own words are for the log; the client learns what it may do. */
function toRpcError(error: unknown, method: string): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof TransportError)) return new RpcError(codes.internal, 'internal error')
  return new RpcError(codes.timeout, wordsOf(error, method))
}

function wordsOf(error: TransportError, method: string): string {
  if (method === 'eth_sendRawTransaction') {
    return 'no node gave an answer: the transaction may have been sent'
  }
  const isNotBelieved = [error, error.cause].some(
    (fault) => fault instanceof UntrueAnswer || fault instanceof MalformedAnswer,
  )
  return isNotBelieved
    ? 'no node gave an answer that can be believed'
    : 'no node gave an answer in time: ask again, or for less'
}
