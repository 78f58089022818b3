import { RpcError } from '../chain/rpc.ts'
import type { GrantedKey, Spent } from '../keys/api-keys.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import { codes } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { errorText, type Message, parseMessage, type Request } from './message.ts'
import { joinResponses, respond } from './respond.ts'
import type { NodeService } from './service.ts'

/** What comes of one message of a client, over HTTP or over a WebSocket. */
export type MessageOutcome =
  /** `text` is undefined where the message holds only notifications. */
  | { kind: 'answered'; message: Message; text: string | undefined }
  /** It is not JSON-RPC. It counts as one call: reading it was work. */
  | { kind: 'unreadable'; error: RpcError }
  /** It is not served now. Nothing was counted. */
  | { kind: 'refused'; message: Message; error: RpcError }
  /** As `refused`, until the quota is full again. */
  | { kind: 'over_quota'; message: Message; error: RpcError; resetAt: Date }
  /** It cannot be known now whether it may be answered. */
  | { kind: 'failed'; message: Message; error: RpcError }
  | { kind: 'unknown_key' }

/** Whose key pays for the calls of a message, or why they may not be made now. */
export type Admission = GrantedKey | { kind: 'unknown' } | { kind: 'refused'; error: RpcError }

export type AdmissionOptions = {
  service: NodeService
  /** Asked once, when it is known how many calls the message makes. */
  admit: (calls: number) => Promise<Admission>
  /** What the client of a WebSocket subscribes with; undefined over HTTP. */
  subscriptionsOf: ((key: GrantedKey) => Subscriptions) | undefined
  /** Told of the work, whose answers others may wait for. */
  background: (work: Promise<unknown>) => void
  clock: Clock
  log: Log
}

/** Parses a message, finds its key, counts its calls and answers it, in this order. Never throws. */
export async function answerMessage(
  text: string,
  options: AdmissionOptions,
): Promise<MessageOutcome> {
  const { service, admit, subscriptionsOf, background, clock, log } = options
  const message = parseMessage(text)
  const requests = requestsOf(message)
  const calls = Math.max(1, requests.length)
  let key: Admission
  let spent: Spent | undefined
  try {
    key = await admit(calls)
    if (key.kind === 'unknown') return { kind: 'unknown_key' }
    if (key.kind === 'refused') return { kind: 'refused', message, error: key.error }
    spent = await key.spend(calls)
  } catch (error) {
    log({ level: 'error', event: 'rpc.failed', message: faultOf(error) })
    return { kind: 'failed', message, error: unavailable() }
  }
  if (spent !== undefined) return { kind: 'over_quota', message, ...overQuota(spent) }
  if (message.kind === 'refused') return { kind: 'unreadable', error: message.error }

  const subscriptions = subscriptionsOf?.(key)
  const caller = { service, methods: key.methods, subscriptions, clock, log }
  const responding = Promise.all(requests.map((request) => respond(request, caller)))
  background(responding)
  return { kind: 'answered', message, text: textOf(message, await responding) }
}

/** Says that what is wrong is not the client's. */
export function unavailable(): RpcError {
  return new RpcError(codes.internal, 'not available now, try again')
}

/** An error in the place of each response to a message. */
export function renderRefusals(message: Message, error: RpcError): string | undefined {
  if (message.kind === 'refused') return errorText('null', error)
  const refusals = requestsOf(message).map(({ id }) => id && errorText(id, error))
  return textOf(message, refusals)
}

function requestsOf(message: Message): readonly Request[] {
  if (message.kind === 'refused') return []
  return message.kind === 'batch' ? message.requests : [message.request]
}

/** The responses to a message as one text; undefined where it needs none. */
function textOf(message: Message, responses: readonly (string | undefined)[]): string | undefined {
  return message.kind === 'batch' ? joinResponses(message.requests, responses) : responses[0]
}

function overQuota({ resetAt }: Spent): { error: RpcError; resetAt: Date } {
  const time = resetAt.toISOString()
  const message = `daily quota exceeded, resets at ${time}`
  return { error: new RpcError(codes.limitExceeded, message, { resetAt: time }), resetAt }
}
