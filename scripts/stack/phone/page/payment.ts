import { actions } from '../../../../src/operator/actions/list.ts'
import { paymentAnswer, paymentsAnswer } from '../../../../src/operator/schemas/payments.ts'
import type { SessionName } from './handset.ts'

/** Calls an operator's route of the relay; undefined for 404. @throws {Error} it did not answer */
export type AskOperator = (path: string, body?: object) => Promise<unknown>

export type SessionPayments = Awaited<ReturnType<typeof readPayments>>

/**
 * Reads the payment of the latest session, and the account's since the page's first dial.
 * @throws {Error} the relay did not answer
 */
export async function readPayments(ask: AskOperator, sessions: readonly SessionName[]) {
  const last = sessions.at(-1)
  const ofPhone = sessions.filter((each) => each.phone === last?.phone)
  const intents = await Promise.all(
    ofPhone.map(async ({ phone, gateway, id: sessionId }) => {
      const answer = await ask('/operator/session', { phone, gateway, sessionId })
      return answer === undefined ? null : actions.session.answer.parse(answer).intent
    }),
  )
  // Only a payment tells the account of a number.
  const index = intents.findLastIndex((intent) => intent !== null)
  const answer = index < 0 ? undefined : await ask(`/operator/payments/${intents[index]}`)
  if (answer === undefined) return { payment: undefined, accountPayments: [] }
  const payment = paymentAnswer.parse(answer)
  const query = `account=${payment.account}&since=${sessions[0]?.startedAt}`
  const { payments } = paymentsAnswer.parse(await ask(`/operator/payments?${query}`))
  return { payment: ofPhone[index] === last ? payment : undefined, accountPayments: payments }
}
