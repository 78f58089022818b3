import { expect, test } from 'vitest'
import { encodeCall, type LoanCall } from '../../../../src/loan/calls.ts'
import { loanCalls } from '../../../../src/loan/kinds.ts'
import { readExecutedOrder } from '../../../../src/relay/ledger/payments/executed.ts'
import type { Order } from '../../../../src/relay/ledger/values.ts'
import { correctFacts } from '../../../../src/ussd/sms.ts'
import { alice, bob, carol, orderOf } from '../../../ports/payments.ts'

/** A deposit pays nobody, and its request names no amount. */
type Kind = Exclude<LoanCall['kind'], 'deposit'>

const writeCall = (kind: Kind, to: typeof bob, wei: bigint): LoanCall =>
  kind === 'loan'
    ? { kind, principalWei: wei, feeWei: 1n, termSeconds: 1 }
    : { kind, to, amountWei: wei }

const requestOf = (...call: Parameters<typeof writeCall>) => ({
  ...orderOf('s').request,
  data: encodeCall(writeCall(...call)),
})

const none = { poolWei: 0n, capWei: 0n, outWei: undefined }
const reserves = {
  transfer: undefined,
  loan: { ...none, poolWei: 7n, capWei: 7n },
  repayment: undefined,
  cashOut: { ...none, outWei: 7n },
}

const kinds = Object.keys(loanCalls).filter((kind) => kind !== 'deposit') as Kind[]

for (const accepted of kinds)
  test.for(kinds)(`an accepted ${accepted} is judged by an executed %s alone`, (kind) => {
    const all = { poolWei: 5n, capWei: 5n, outWei: 5n }
    const request = requestOf(accepted, bob, 5n)
    const order = {
      ...orderOf('s'),
      request,
      kind: accepted,
      spendsWei: 5n,
      reserves: all,
    } as Order
    const executed = requestOf(kind, carol, 7n)
    expect(readExecutedOrder(order, executed)).toMatchObject({
      ...{ request: executed, kind, spendsWei: kind === 'loan' ? 0n : 7n },
      reserves: reserves[kind],
    })
  })

test.for([
  [false, alice, 7n],
  [true, '0x', 7n],
] as const)('a message tells what was executed, to another: %s', ([isToOther, who, amountWei]) => {
  const { data } = requestOf('cashOut', carol, 7n)
  const facts = { phone: '+254700000001', kind: 'cashOut', amountWei: 5n, who: alice } as never
  const told = correctFacts(facts, { data, isToOther }, 31)
  expect(told).toMatchObject({ amountWei, who: expect.stringContaining(who) })
  expect(told).toHaveProperty('who', isToOther ? expect.not.stringContaining(alice) : alice)
})
