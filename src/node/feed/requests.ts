import { RpcError } from '../../chain/rpc.ts'
import {
  answerMessage,
  type CustomerBudgets,
  countCalls,
  createTooManyBytesError,
  renderRefusals,
  reportUnavailable,
} from '../admission.ts'
import { codes } from '../codes.ts'
import { formatError, parseMessage } from '../message.ts'
import type { FeedOptions } from './options.ts'
import { closeCodes, revokedReason, type Session, type Sessions } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'

type RequestsOptions = FeedOptions & {
  sessions: Sessions
  budgets: CustomerBudgets
  createSubscriptions: (session: Session, maxSubscriptions: number) => Subscriptions
}

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
  const { sessions, limits, createSubscriptions, findKey, log } = options
  const message = parseMessage(text)
  const calls = countCalls(message)
  if (session.runningRequests + calls > limits.requestsPerSocket) {
    const words = `at most ${limits.requestsPerSocket} requests at a time on one connection`
    return renderRefusals(message, new RpcError(codes.limitExceeded, words))
  }
  // Counted without an `await` since the check, so concurrent messages see each other.
  session.runningRequests += calls
  try {
    const key = await findKey(session.socket.keyHash)
    if (key.kind === 'unknown') {
      sessions.close(session, closeCodes.policy, revokedReason)
      return undefined
    }
    const subscriptions = createSubscriptions(session, key.maxSubscriptions)
    const caller = { ...options, subscriptions, waitUntil: () => {} }
    const outcome = await answerMessage(message, key, caller)
    return outcome.kind === 'answered' ? outcome.text : renderRefusals(message, outcome.error)
  } catch (error) {
    return renderRefusals(message, reportUnavailable(error, log))
  } finally {
    session.runningRequests -= calls
  }
}
