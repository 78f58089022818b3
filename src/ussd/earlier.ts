import type { Ledger, PaymentState, Question } from '../relay/ledger/port.ts'
import type { ContractCall } from '../relay/pay/delivery.ts'

/** So long an equal payment is taken for one that may have been meant once. */
const earlierMs = 600_000
/** Payments of an account that are looked through. */
const mostLookedAt = 50

const failures: ReadonlySet<PaymentState> = new Set(['reverted', 'expired'])

/**
 * How many minutes ago another session of the account paid by the very same call. Undefined where none did
 * within 10 minutes, and where this session is decided: what it was answered is what it is answered.
 */
export async function minutesSinceEqual(
  ledger: Pick<Ledger, 'lookup' | 'payments'>,
  question: Question,
  { target, data }: Pick<ContractCall, 'target' | 'data'>,
  now: number,
): Promise<number | undefined> {
  const payments = await ledger.payments(question.account, mostLookedAt, now - earlierMs)
  const equal = payments.find(
    ({ state, order: { request } }) =>
      !failures.has(state) && request.to === target && request.data === data,
  )
  if (equal === undefined) return undefined
  const { kind } = await ledger.lookup(question)
  return kind === 'undecided' ? Math.floor((now - equal.acceptedAt) / 60_000) : undefined
}
