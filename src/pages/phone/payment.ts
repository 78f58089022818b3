import type { PaymentDetails, PaymentSummary } from '../../operator/schemas/payments.ts'
import { hasEnded, type PhoneSession } from './handset.ts'

/** Asks a route of the relay; undefined for 404. @throws {Error} the relay did not answer */
export type AskRelay = (path: string, body?: object) => Promise<unknown>

export type SessionPayments = {
  /** The payment of the latest session. */
  payment: PaymentDetails | undefined
  /** Lists the payments of the session's phone number since the page's first dial. */
  ofPhone: readonly PaymentSummary[]
}

/**
 * Reads the payments of the latest session and of its phone number, and adds the intent to each
 * session that has ended.
 * @throws {Error} the relay did not answer
 */
export async function readPayments(
  ask: AskRelay,
  sessions: readonly PhoneSession[],
): Promise<SessionPayments> {
  await Promise.all(
    sessions.filter(hasEnded).map(async (session) => {
      if (session.intent !== undefined) return
      const { phone, gateway, id: sessionId } = session
      const answer = await ask('/operator/session', { phone, gateway, sessionId })
      session.intent = (answer as { intent: string | null } | undefined)?.intent ?? null
    }),
  )
  const last = sessions.at(-1)
  const ofPhone = sessions.filter(({ phone }) => phone === last?.phone)
  const intent = last?.intent ?? ofPhone.findLast(({ intent }) => intent)?.intent
  const payment = intent && ((await ask(`/operator/payments/${intent}`)) as PaymentDetails)
  // Only a payment tells the account of a number.
  if (!payment) return { payment: undefined, ofPhone: [] }
  const query = `account=${payment.account}&since=${sessions[0]?.startedAt}`
  const { payments } = (await ask(`/operator/payments?${query}`)) as { payments: PaymentSummary[] }
  return { payment: last?.intent ? payment : undefined, ofPhone: payments }
}
