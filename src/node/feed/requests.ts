import { RpcError } from '../../chain/rpc.ts'
import type { KeyCheck } from '../../keys/api-keys.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { type Admission, answerMessage, requestsOf, textOf } from '../admission.ts'
import { codes } from '../codes.ts'
import { errorText } from '../message.ts'
import type { NodeService } from '../service.ts'
import {
  closeCodes,
  type FeedLimits,
  revokedWords,
  type Session,
  type Sessions,
} from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'

export type RequestsOptions = {
  sessions: Sessions
  limits: FeedLimits
  /** Looks a key up by its hash, for as long as a connection lasts. */
  keyOf: (hash: string) => Promise<KeyCheck>
  /** The subscriptions of a connection, whose key may have so many at a time. */
  subscriptionsOf: (session: Session, most: number) => Subscriptions
  service: NodeService
  clock: Clock
  log: Log
}

/** Takes a client's message and sends the answer, if the message needs one. */
export async function handleMessage(
  session: Session,
  text: string,
  options: RequestsOptions,
): Promise<void> {
  const { sessions, limits } = options
  sessions.heard(session)
  if (text.length > limits.messageLength) {
    return sessions.end(session, closeCodes.tooBig, 'the message is too large')
  }
  const answer = await answerTo(session, text, options)
  if (answer !== undefined) sessions.send(session, answer)
  // Only now does the client know its subscription's id: what is told before would be lost.
  for (const [id, topic] of session.untold) {
    session.topics.set(id, topic)
    session.untold.delete(id)
  }
}

async function answerTo(
  session: Session,
  text: string,
  options: RequestsOptions,
): Promise<string | undefined> {
  const { sessions, subscriptionsOf, service, clock, log } = options
  const answered = await answerMessage(text, {
    service,
    admit: (calls) => admit(session, calls, options),
    subscriptionsOf: (key) => subscriptionsOf(session, key.subscriptions),
    async during(calls, work) {
      session.requests += calls
      try {
        return await work()
      } finally {
        session.requests -= calls
      }
    },
    clock,
    log,
  })
  switch (answered.kind) {
    case 'unknown_key':
      sessions.end(session, closeCodes.policy, revokedWords)
      return undefined
    case 'unreadable':
      return errorText('null', answered.error)
    case 'refused':
    case 'over_quota': {
      const { message, error } = answered
      const refusals = requestsOf(message).map(({ id }) => id && errorText(id, error))
      return textOf(message, refusals)
    }
    case 'answered':
      return answered.text
  }
}

async function admit(
  session: Session,
  calls: number,
  { limits, keyOf }: RequestsOptions,
): Promise<Admission> {
  if (session.requests + calls <= limits.requestsPerSocket) {
    return await keyOf(session.socket.keyHash)
  }
  const message = `at most ${limits.requestsPerSocket} requests at a time on one connection`
  return { kind: 'refused', error: new RpcError(codes.limitExceeded, message) }
}
