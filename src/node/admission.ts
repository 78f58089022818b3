import { RpcError } from '../chain/rpc.ts'
import type { GrantedKey, Spent } from '../keys/api-keys.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { codes } from './codes.ts'
import type { Subscriptions } from './feed/subscriptions.ts'
import { type Message, parseMessage, type Request } from './message.ts'
import { joinResponses, respond } from './respond.ts'
import type { NodeService } from './service.ts'

/** A message that can be read: one request, or a batch. */
export type ReadMessage = Exclude<Message, { kind: 'refused' }>

/** What comes of one message of a client, over HTTP or over a WebSocket. */
export type Answered =
  /** `text` is undefined where the message holds only notifications. */
  | { kind: 'answered'; message: ReadMessage; text: string | undefined }
  /** It is not JSON-RPC. Nothing was counted. */
  | { kind: 'unreadable'; error: RpcError }
  /** It is not served now. Nothing was counted. */
  | { kind: 'refused'; message: ReadMessage; error: RpcError }
  /** As `refused`, until the quota is full again. */
  | { kind: 'over_quota'; message: ReadMessage; error: RpcError; resetAt: Date }
  | { kind: 'unknown_key' }

/** Whose key pays for the calls of a message, or why they may not be made now. */
export type Admission = GrantedKey | { kind: 'unknown' } | { kind: 'refused'; error: RpcError }

export type AdmissionOptions = {
  service: NodeService
  /** Asked once, when it is known how many calls the message makes. */
  admit: (calls: number) => Promise<Admission>
  /** What the client of a WebSocket subscribes with; undefined over HTTP. */
  subscriptionsOf: ((key: GrantedKey) => Subscriptions) | undefined
  /** Runs the work of so many calls, and knows how long it lasts. */
  during: <T>(calls: number, work: () => Promise<T>) => Promise<T>
  clock: Clock
  log: Log
}

/** Parses a message, finds its key, counts its calls and answers it, in this order. */
export async function answerMessage(text: string, options: AdmissionOptions): Promise<Answered> {
  const { service, admit, subscriptionsOf, during, clock, log } = options
  const message = parseMessage(text)
  if (message.kind === 'refused') return { kind: 'unreadable', error: message.error }
  const requests = requestsOf(message)
  const key = await admit(requests.length)
  if (key.kind === 'unknown') return { kind: 'unknown_key' }
  if (key.kind === 'refused') return { kind: 'refused', message, error: key.error }
  const spent = await key.spend(requests.length)
  if (spent !== undefined) return { kind: 'over_quota', message, ...overQuota(spent) }

  const subscriptions = subscriptionsOf?.(key)
  const caller = { service, methods: key.methods, subscriptions, clock, log }
  const responses = await during(requests.length, () =>
    Promise.all(requests.map((request) => respond(request, caller))),
  )
  return { kind: 'answered', message, text: textOf(message, responses) }
}

/** The requests of a message, in order. */
export function requestsOf(message: ReadMessage): readonly Request[] {
  return message.kind === 'batch' ? message.requests : [message.request]
}

/** The responses to a message as one text; undefined where it needs none. */
export function textOf(
  message: ReadMessage,
  responses: readonly (string | undefined)[],
): string | undefined {
  return message.kind === 'batch' ? joinResponses(responses) : responses[0]
}

function overQuota({ resetAt }: Spent): { error: RpcError; resetAt: Date } {
  const time = resetAt.toISOString()
  const message = `daily quota exceeded, resets at ${time}`
  return { error: new RpcError(codes.limitExceeded, message, { resetAt: time }), resetAt }
}
