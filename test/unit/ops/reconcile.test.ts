import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { replay } from '../../../scripts/contracts/loan-books.ts'
import type { Booked, LoanEvent } from '../../../scripts/contracts/reads.ts'
import { type Books, differences, type Spending } from '../../../scripts/ops/reconcile/compare.ts'
import type { PaymentSummary } from '../../../src/operator/schemas/payments.ts'
import { payment } from '../../support/answers.ts'

const [alice, bob] = ['11', '22'].map((digits) => `0x${digits.repeat(20)}`) as [Address, Address]
const hash = `0x${'ab'.repeat(32)}` as const
const intent = `0x${'cd'.repeat(32)}` as const
const day = 24 * 60 * 60 * 1000

const confirmed: PaymentSummary = {
  ...{ ...payment, intent, state: 'confirmed', spendsWei: '3' },
  ...{ acceptedAt: '2026-01-01T00:00:00.000Z' },
  ...{ nonce: 0, outcome: 'executed', hash, block: 5 },
}
const spent: Spending = { intent, account: alice, outcome: 'executed', hash, block: 5, at: 0 }
const funded: LoanEvent = { eventName: 'Funded', args: { payer: bob, amount: 100n } }
const deposited = (account: Address, amount: bigint): LoanEvent => ({
  eventName: 'Deposited',
  args: { account, payer: account, amount },
})
const withdrawn = (account: Address, amount: bigint): LoanEvent => ({
  eventName: 'Withdrawn',
  args: { account, recipient: account, amount },
})
const events: Booked[] = [
  { ...funded, hash },
  { ...deposited(alice, 10n), hash },
  { eventName: 'Transferred', args: { from: alice, to: bob, amount: 3n }, hash },
]
const agreed: Books = {
  ...{ payments: [confirmed], head: 100, spendings: [spent], events },
  ...{ totals: { balancesWei: 10n, owedWei: 0n, freeWei: 100n }, heldWei: 110n },
  accounts: new Map([[alice, { balanceWei: 7n, owedWei: 0n }]]),
}
/** Creates books with a changed payment and these facts of the chain. */
const told = (changes: Partial<PaymentSummary>, chain: Partial<Books> = {}): Partial<Books> => ({
  payments: [{ ...confirmed, ...changes }],
  ...chain,
})
const underWay = { state: 'signed', outcome: null, block: null } as const
const expired = { state: 'expired', outcome: null, hash: null, block: null } as const
const reverted = { state: 'reverted', outcome: 'failed', block: 6 } as const
const again = (at: number) => told({ block: 9 }, { spendings: [spent, { ...spent, block: 9, at }] })
const ofOther: Spending = { ...spent, account: bob, block: 6 }
const cashedOut: Partial<Books> = {
  events: events.with(2, { ...withdrawn(alice, 3n), hash }),
  totals: { ...agreed.totals, balancesWei: 7n },
  heldWei: 107n,
}
const otherSums = { balancesWei: 11n, owedWei: 1n, freeWei: 99n }
const ofBob = new Map([[bob, { balanceWei: 4n, owedWei: 2n }]])
const ofPayment = (says: string) => `Payment ${intent}${says}.`
const unmoved = (what: string) => ofPayment(`: its transaction ${hash} has not moved ${what} wei`)
const executed = (state: string) => ofPayment(` ${state} in the ledger; block 5 has executed it`)
const sum = (wei: number, of: string, events: number) =>
  `At block 100 the loan contract has ${wei} wei as ${of}; its events come to ${events}.`
const unasked = `Block 6 has executed intent ${intent} of ${bob}; the ledger has no such payment.`
const unspent = ' is confirmed in the ledger; the chain has not spent its intent'
const missing = 'The loan contract has 109 wei, less than the 110 that it owes.'

test.for<[what: string, books: Partial<Books>, ...found: string[]]>([
  ['nothing where ledger, contract and events tell the same', {}],
  ['a payment that the chain knows nothing of', { spendings: [] }, ofPayment(unspent)],
  [
    'a payment that the chain knows otherwise',
    told(reverted),
    ofPayment(': outcome failed in the ledger, executed in the chain'),
    ofPayment(': block 6 in the ledger, 5 in the chain'),
  ],
  ['one that has not expired', told(expired), executed('is expired')],
  ['one that is under way no more', told(underWay), executed('is signed')],
  ['nothing that is newer than the block', told({ block: 101 }, { spendings: [] })],
  ['nothing that no round could notice yet', told(underWay, { head: 16 })],
  ['another amount', told({ spendsWei: '4' }), unmoved('4')],
  ['a loan that moved nothing', told({ kind: 'loan', spendsWei: '0' }), unmoved('any')],
  ['a transfer that should be a cash-out', told({ kind: 'cashOut' }), unmoved('3')],
  ['nothing where it is one', told({ kind: 'cashOut' }, cashedOut)],
  ['a second spending', again(day), `Intent ${intent} was spent twice: in blocks 5 and 9.`],
  ['nothing where it may be', again(7 * day)],
  ['one that nobody asked for', { spendings: [spent, ofOther] }, unasked],
  ['none older than all that it knows', { spendings: [{ ...ofOther, block: 4 }, spent] }],
  [
    'sums that the events do not come to',
    { totals: otherSums },
    sum(11, 'all balances', 10),
    sum(1, 'all that is owed', 0),
    sum(99, 'the free pool', 100),
  ],
  ['money that is missing', { heldWei: 109n }, missing],
  [
    'an account that the events do not come to',
    { accounts: ofBob },
    sum(4, `the balance of ${bob}`, 3),
    sum(2, `the loan of ${bob}`, 0),
  ],
  ['nothing in hundreds of thousands of payments', { payments: Array(300_000).fill(confirmed) }],
])('a reconciliation finds %s', ([, books, ...found]) => {
  expect(differences({ ...agreed, ...books })).toEqual(found)
})

const issued: LoanEvent = {
  eventName: 'LoanIssued',
  args: { borrower: alice, amount: 10n, fee: 0n, dueAt: 9n },
}
const repaid = (isSentAlong: boolean): (LoanEvent & Partial<Booked>)[] => [
  {
    eventName: 'LoanRepaid',
    args: { borrower: alice, payer: alice, amount: 4n, remaining: 6n },
    isSentAlong,
  },
]
const loan = { owed: 3n, feeRate: 0n, issuedAt: 1n, dueAt: 9n, isWrittenOff: false }
type Sums = readonly [balance: bigint, owed: bigint, isWrittenOff?: boolean]

test.for<[what: string, events: LoanEvent[], totals: Sums, free: bigint, alice: Sums, bob?: Sums]>([
  ['give back what is repaid from a balance', repaid(false), [6n, 6n], 94n, [6n, 6n]],
  ['give back what is repaid from outside', repaid(true), [10n, 6n], 94n, [10n, 6n]],
  [
    'count no loan that is written off, in whichever account',
    [
      { eventName: 'LoanWrittenOff', args: { borrower: alice, amount: 10n } },
      deposited(bob, 1n),
      { eventName: 'AccountPassed', args: { from: alice, to: bob, amount: 10n, owed: 10n } },
    ],
    [11n, 0n],
    90n,
    [0n, 0n],
    [11n, 10n, true],
  ],
  [
    'follow accounts out of the contract and into it, and what owners take',
    [
      {
        eventName: 'AccountMoved',
        args: { account: alice, successor: bob, amount: 10n, owed: 10n },
      },
      { eventName: 'AccountTakenOver', args: { account: bob, amount: 5n, loan } },
      withdrawn(bob, 2n),
      { eventName: 'Defunded', args: { recipient: bob, amount: 50n } },
    ],
    [3n, 3n],
    40n,
    [0n, 0n],
    [3n, 3n],
  ],
])('the books of the loan contract, after a loan, %s', ([, more, totals, freeWei, ...sums]) => {
  const books = replay([funded, issued, ...more])
  const [balancesWei, owedWei] = totals
  expect(books.totals).toEqual({ balancesWei, owedWei, freeWei })
  for (const [index, account] of [alice, bob].entries()) {
    const [balanceWei = 0n, owed = 0n, isWrittenOff = false] = sums[index] ?? []
    const told = books.accounts.get(account) ?? { balanceWei: 0n, owedWei: 0n, isWrittenOff: false }
    expect(told).toMatchObject({ balanceWei, owedWei: owed, isWrittenOff })
  }
})
