import { RpcError, TransportError } from '../chain/rpc.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import { withinTime } from '../runtime/time-limit.ts'
import { codes } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { errorText, type Request, successText } from './message.ts'
import { notAvailable } from './not-available.ts'
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

/** Several responses as one, or `undefined` when there is none; too long ones are left out. */
export function joinResponses(responses: readonly (string | undefined)[]): string | undefined {
  const told = responses.filter((response) => response !== undefined)
  let length = 0
  const fitting = told.map((response) => {
    length += response.length
    return length <= maxResponseLength ? response : tooLong(response)
  })
  return told.length === 0 ? undefined : `[${fitting.join(',')}]`
}

function tooLong(response: string): string {
  const { id } = JSON.parse(response) as { id: unknown }
  const error = new RpcError(codes.timeout, 'the answer to the batch is too large: ask for less')
  return errorText(JSON.stringify(id), error)
}

/** A fault's own words are for the log; the client learns what it may do. */
function toRpcError(error: unknown, method: string): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof TransportError)) return new RpcError(codes.internal, 'internal error')
  return new RpcError(
    codes.timeout,
    method === 'eth_sendRawTransaction'
      ? 'no node gave an answer: the transaction may have been sent'
      : 'no node gave an answer that can be believed',
  )
}
