import { actions } from '../../operator/schemas/actions.ts'
import {
  type PaymentDetails,
  type PaymentSummary,
  paymentAnswer,
  paymentsAnswer,
} from '../../operator/schemas/payments.ts'
import { hasEnded, type PhoneSession } from './handset.ts'

/** Calls an operator's route of the relay; undefined for 404. */
export type AskOperator = (path: string, body?: object) => Promise<unknown>

export type SessionPayments = {
  /** The payment of the latest session. */
  payment: PaymentDetails | undefined
  /** Lists the payments in the same transaction. */
  batch: PaymentSummary[]
  /** Lists the account's payments since the page's first dial. */
  accountPayments: PaymentSummary[]
}

/** Adds the intent to each session that has ended. @throws {Error} the relay did not answer */
export function addIntents(ask: AskOperator, sessions: PhoneSession[]): Promise<PhoneSession[]> {
  return Promise.all(
    sessions.map(async (session) => {
      if (session.intent !== undefined || !hasEnded(session)) return session
      const { phone, gateway, id: sessionId } = session
      const answer = await ask('/operator/session', { phone, gateway, sessionId })
      const intent = answer === undefined ? null : actions.session.answer.parse(answer).intent
      return { ...session, intent }
    }),
  )
}

/**
 * Reads the payments of the latest session and of its phone number.
 * @throws {Error} the relay did not answer
 */
export async function readPayments(
  ask: AskOperator,
  sessions: readonly PhoneSession[],
): Promise<SessionPayments> {
  const session = sessions.at(-1)
  const phoneSessions = sessions.filter(({ phone }) => phone === session?.phone)
  const intent = session?.intent ?? phoneSessions.findLast(({ intent }) => intent)?.intent
  const answer = intent && (await ask(`/operator/payments/${intent}`))
  // Only a payment tells the account of a number.
  if (!answer) return { payment: undefined, batch: [], accountPayments: [] }
  const payment = paymentAnswer.parse(answer)
  const listPayments = async (query: string) =>
    paymentsAnswer.parse(await ask(`/operator/payments?${query}`)).payments
  const sessionPayment = session?.intent ? payment : undefined
  const ofAccount = `account=${payment.account}&since=${sessions[0]?.startedAt}`
  return {
    payment: sessionPayment,
    batch: sessionPayment?.hash ? await listPayments(`hash=${sessionPayment.hash}`) : [],
    accountPayments: await listPayments(ofAccount),
  }
}
