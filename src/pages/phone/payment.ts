import {
  actions,
  type PaymentDetails,
  type PaymentSummary,
  paymentAnswer,
  paymentsAnswer,
} from '../../operator/answers.ts'
import { type Dialling, hasEnded } from './handset.ts'

/** Calls an operator's route of the relay; undefined for 404. */
export type AskOperator = (path: string, body?: object) => Promise<unknown>

export type SessionPayments = {
  /** Holds the session's own payment, if any. */
  own: PaymentDetails | undefined
  /** Lists the payments in the same transaction. */
  batch: PaymentSummary[]
  /** Lists the account's payments since the page's first dial. */
  since: PaymentSummary[]
}

/** Asks the relay once for the intent of each session that has ended. @throws {Error} no answer */
export function withIntents(ask: AskOperator, sessions: Dialling[]): Promise<Dialling[]> {
  return Promise.all(
    sessions.map(async (session) => {
      if (session.intent !== undefined || !hasEnded(session)) return session
      const { phone, gateway, id: sessionId } = session
      const told = await ask('/operator/session', { phone, gateway, sessionId })
      const intent = told === undefined ? null : actions.session.tells.parse(told).intent
      return { ...session, intent }
    }),
  )
}

/** Reads what the last session paid, and all that its number did. @throws {Error} no answer */
export async function readPayments(
  ask: AskOperator,
  sessions: readonly Dialling[],
): Promise<SessionPayments> {
  const session = sessions.at(-1)
  const ofNumber = sessions.filter(({ phone }) => phone === session?.phone)
  const intent = session?.intent ?? ofNumber.findLast((one) => one.intent)?.intent
  const found = intent && (await ask(`/operator/payments/${intent}`))
  // Without any payment of this number its account cannot be found.
  if (!found) return { own: undefined, batch: [], since: [] }
  const payment = paymentAnswer.parse(found)
  const listed = async (query: string) =>
    paymentsAnswer.parse(await ask(`/operator/payments?${query}`)).payments
  const own = session?.intent ? payment : undefined
  const since = await listed(`account=${payment.account}&since=${sessions[0]?.since}`)
  return { own, batch: own?.hash ? await listed(`hash=${own.hash}`) : [], since }
}
