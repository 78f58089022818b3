import { RpcError } from '../../chain/rpc.ts'
import { answerMessage, renderRefusals } from '../admission.ts'
import { codes } from '../codes.ts'
import { type CustomerBudgets, createTooManyBytesError } from '../customer-budgets.ts'
import { formatError } from '../message.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedReason, type Session, type Sessions } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'

type RequestsOptions = FeedOptions & {
  sessions: Sessions
  budgets: CustomerBudgets
  /** Creates a connection's subscriptions, limited by its key. */
  createSubscriptions: (session: Session, maxSubscriptions: number) => Subscriptions
}

/** Handles a client's message, and sends the answer if it needs one. */
export async function handleMessage(
  session: Session,
  message: string | ArrayBuffer,
  options: RequestsOptions,
): Promise<void> {
  const { sessions, limits, budgets } = options
  sessions.recordMessage(session)
  if (exceedsBytes(limits.messageBytes, message)) {
    const reason = `a message has at most ${limits.messageBytes} bytes`
    return sessions.close(session, closeCodes.tooBig, reason)
  }
  const text = typeof message === 'string' ? message : new TextDecoder().decode(message)
  const { keyHash } = session.socket
  // The error has no id: to find it, the message would have to be parsed, which is refused here.
  let answer: string | undefined = formatError('null', createTooManyBytesError())
  if (budgets.reserve(keyHash, text.length)) {
    try {
      await budgets.waitTurn(keyHash, text.length)
      answer = await answerText(session, text, options)
    } finally {
      budgets.release(keyHash, text.length)
    }
  }
  if (answer !== undefined) sessions.send(session, answer)
  for (const subscription of session.topics.values()) subscription.isActive = true
}

/** Tells whether a message is too long in bytes, of which a character has three at most. */
function exceedsBytes(bytes: number, message: string | ArrayBuffer): boolean {
  if (typeof message !== 'string') return message.byteLength > bytes
  if (message.length * 3 <= bytes) return false
  return message.length > bytes || new TextEncoder().encode(message).byteLength > bytes
}

async function answerText(
  session: Session,
  text: string,
  options: RequestsOptions,
): Promise<string | undefined> {
  const { sessions, limits, createSubscriptions, service, clock, log } = options
  let admittedCalls = 0
  const outcome = await answerMessage(text, {
    service,
    clock,
    log,
    admit(calls) {
      if (session.runningRequests + calls > limits.requestsPerSocket) {
        const message = `at most ${limits.requestsPerSocket} requests at a time on one connection`
        const error = new RpcError(codes.limitExceeded, message)
        return Promise.resolve({ kind: 'refused', error })
      }
      // Counted without an `await` since the check, so concurrent messages see each other.
      session.runningRequests += calls
      admittedCalls = calls
      return options.findKey(session.socket.keyHash)
    },
    getSubscriptions: (key) => createSubscriptions(session, key.maxSubscriptions),
    waitUntil: () => {},
  })
  session.runningRequests -= admittedCalls
  switch (outcome.kind) {
    case 'unknown_key':
      sessions.close(session, closeCodes.policy, revokedReason)
      return undefined
    case 'refused':
      return renderRefusals(outcome.message, outcome.error)
    case 'answered':
      return outcome.text
  }
}
