import {
  actions,
  type PaymentDetails,
  type PaymentSummary,
  paymentAnswer,
  paymentsAnswer,
} from '../../operator/answers.ts'
import { type Dialling, hasEnded } from './handset.ts'

/** Asks an operator's route of the relay; undefined where it does not know what it is asked for. */
export type AskOperator = (path: string, body?: object) => Promise<unknown>

export type SessionPayments = {
  /** Is the session's own payment; undefined where it has none. */
  own: PaymentDetails | undefined
  /** Lists what its transaction carries, its own among them. */
  batch: PaymentSummary[]
  /** Lists what the number's account has paid since the page's first dial. */
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
  // Before a first payment of the number nothing leads from it to its account.
  if (!found) return { own: undefined, batch: [], since: [] }
  const payment = paymentAnswer.parse(found)
  const listed = async (query: string) =>
    paymentsAnswer.parse(await ask(`/operator/payments?${query}`)).payments
  const own = session?.intent ? payment : undefined
  const since = await listed(`account=${payment.account}&since=${sessions[0]?.since}`)
  return { own, batch: own?.hash ? await listed(`hash=${own.hash}`) : [], since }
}
