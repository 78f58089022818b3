import { type Address, getAddress, isAddressEqual } from 'viem'
import { findCredited } from '../../loan/calls.ts'
import { withTimeLimit } from '../../runtime/clock.ts'
import { describeFault } from '../../runtime/log.ts'
import type { toRecord } from '../ledger/records/operations.ts'
import type { Relayer } from '../relayer.ts'

type Payment = ReturnType<typeof toRecord>
type Reads = Pick<Relayer, 'node' | 'clock' | 'log'>

const timeoutMs = 3_000

/** Tells whether only its receipt tells a payment's amount: it repaid or credited all. */
export const isOfAll = (payment: Payment | undefined): payment is Payment =>
  payment?.outcome === 'executed' &&
  (payment.kind === 'deposit' || (payment.kind === 'repayment' && payment.spendsWei === '0'))

/** Reads the gas of a payment's transaction, and what one of all credited or repaid. */
export async function readMined({ node, clock, log }: Reads, payment: Payment, loan: Address) {
  const { hash, block, kind, account } = payment
  if (hash === null || block === null) return undefined
  try {
    const reading = node.getReceipt(hash, clock.timeout(timeoutMs))
    const receipt = await withTimeLimit(clock, timeoutMs, reading, () => undefined)
    const { gasUsed, logs = [], proof } = receipt ?? {}
    const events = logs.filter(({ address }) => isAddressEqual(address, loan))
    const name = kind === 'deposit' ? 'Deposited' : 'LoanRepaid'
    // What one node alone says may be a lie.
    const isTold = isOfAll(payment) && proof !== 'alone'
    return {
      gasUsed,
      creditedWei: isTold ? findCredited(events, name, getAddress(account)) : undefined,
    }
  } catch (error) {
    log({ level: 'warn', event: 'receipt.unread', message: describeFault(error) })
    return undefined
  }
}
