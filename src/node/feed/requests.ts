import { RpcError } from '../../chain/rpc.ts'
import { answerMessage, renderRefusals } from '../admission.ts'
import { codes } from '../codes.ts'
import { errorText } from '../message.ts'
import { type CustomerBudgets, noRoom } from '../shares.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedWords, type Session, type Sessions } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'

export type RequestsOptions = FeedOptions & {
  sessions: Sessions
  shares: CustomerBudgets
  /** Returns a connection's subscriptions, limited in number by its key. */
  openSubscriptions: (session: Session, most: number) => Subscriptions
}

/** Takes a client's message and sends the answer, if the message needs one. */
export async function handleMessage(
  session: Session,
  message: string | ArrayBuffer,
  options: RequestsOptions,
): Promise<void> {
  const { sessions, limits } = options
  sessions.heard(session)
  if (isLongerThan(limits.messageBytes, message)) {
    return sessions.end(session, closeCodes.tooBig, 'the message is too large')
  }
  const text = typeof message === 'string' ? message : new TextDecoder().decode(message)
  const answer = await answerInTurn(session, text, options)
  if (answer !== undefined) sessions.send(session, answer)
  for (const subscription of session.topics.values()) subscription.isTold = true
}

/** Tells whether a message is too long in bytes, of which a character has three at most. */
function isLongerThan(bytes: number, message: string | ArrayBuffer): boolean {
  if (typeof message !== 'string') return message.byteLength > bytes
  if (message.length * 3 <= bytes) return false
  return message.length > bytes || new TextEncoder().encode(message).byteLength > bytes
}

async function answerInTurn(
  session: Session,
  text: string,
  options: RequestsOptions,
): Promise<string | undefined> {
  const { shares } = options
  const { keyHash } = session.socket
  // Not even its id is looked for: that is what it has to wait for.
  if (!shares.take(keyHash, text.length)) return errorText('null', noRoom())
  try {
    await shares.turn(keyHash, text.length)
    return await answerTo(session, text, options)
  } finally {
    shares.give(keyHash, text.length)
  }
}

async function answerTo(
  session: Session,
  text: string,
  options: RequestsOptions,
): Promise<string | undefined> {
  const { sessions, limits, openSubscriptions: getSubscriptions, service, clock, log } = options
  let underWay = 0
  const answered = await answerMessage(text, {
    service,
    clock,
    log,
    admit(calls) {
      if (session.requests + calls > limits.requestsPerSocket) {
        const message = `at most ${limits.requestsPerSocket} requests at a time on one connection`
        const error = new RpcError(codes.limitExceeded, message)
        return Promise.resolve({ kind: 'refused', error })
      }
      // In the step that looked: of many that come at once each sees the ones before it.
      session.requests += calls
      underWay = calls
      return options.findKey(session.socket.keyHash)
    },
    getSubscriptions: (key) => getSubscriptions(session, key.subscriptions),
    background: () => {},
  })
  session.requests -= underWay
  switch (answered.kind) {
    case 'unknown_key':
      sessions.end(session, closeCodes.policy, revokedWords)
      return undefined
    case 'refused':
      return renderRefusals(answered.message, answered.error)
    case 'answered':
      return answered.text
  }
}
