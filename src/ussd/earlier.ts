import type { Address } from 'viem'
import type { Ledger, PaymentState } from '../relay/ledger/port.ts'
import type { ContractCall } from '../relay/pay/delivery.ts'

/** So long an equal payment is taken for one that may have been meant once. */
const earlierMs = 600_000
/** Payments of an account that are looked through. */
const mostLookedAt = 50

const failures: ReadonlySet<PaymentState> = new Set(['reverted', 'expired'])

/**
 * How many minutes ago the account paid by the very same call. Undefined where it did not within 10 minutes.
 * A payment of this session counts too: who asks has to know whether it was decided.
 */
export async function minutesSinceEqual(
  ledger: Pick<Ledger, 'payments'>,
  account: Address,
  { target, data }: Pick<ContractCall, 'target' | 'data'>,
): Promise<number | undefined> {
  const payments = await ledger.payments(account, mostLookedAt, earlierMs)
  const equal = payments.find(
    ({ state, order: { request } }) =>
      !failures.has(state) && request.to === target && request.data === data,
  )
  return equal && Math.floor(equal.ageMs / 60_000)
}
