import type { Address } from 'viem'
import { describe, test } from 'vitest'
import {
  type Booked,
  type Books,
  differences,
  type Spending,
} from '../../../scripts/ops/reconcile/compare.ts'
import { type LoanEvent, replay } from '../../../scripts/ops/reconcile/loan-books.ts'
import type { PaymentSummary } from '../../../src/operator/answers.ts'

const [alice, bob] = ['11', '22'].map((digits) => `0x${digits.repeat(20)}`) as [Address, Address]
const hash = `0x${'ab'.repeat(32)}` as const
const intent = `0x${'cd'.repeat(32)}` as const
const day = 24 * 60 * 60 * 1000

const confirmed: PaymentSummary = {
  ...{ intent, state: 'confirmed', kind: 'transfer', account: alice, spendsWei: '3' },
  ...{ acceptedAt: '2026-01-01T00:00:00.000Z', changedAt: '2026-01-01T00:00:09.000Z' },
  ...{ relayer: null, nonce: 0, attempts: 0, outcome: 'executed', reason: null },
  ...{ hash, block: 5, explorer: null },
}
const spent: Spending = { intent, account: alice, outcome: 'executed', hash, block: 5, at: 0 }
const events: Booked[] = [
  { name: 'Funded', wei: 100n, hash },
  { name: 'Deposited', account: alice, wei: 10n, hash },
  { name: 'Transferred', from: alice, to: bob, wei: 3n, hash },
]
const agreed: Books = {
  ...{ payments: [confirmed], head: 100, spendings: [spent], events },
  ...{ totals: { balancesWei: 10n, owedWei: 0n, freeWei: 100n }, heldWei: 110n },
  accounts: new Map([[alice, { balanceWei: 7n, owedWei: 0n }]]),
}

const found = (changes: Partial<Books>) => differences({ ...agreed, ...changes })
const told = (changes: Partial<PaymentSummary>) =>
  found({ payments: [{ ...confirmed, ...changes }] })

describe('a reconciliation', () => {
  test('finds nothing where ledger, contract and events tell the same', ({ expect }) => {
    expect(differences(agreed)).toEqual([])
    expect(found({ payments: [], spendings: [] })).toEqual([])
  })

  test('finds a payment that the chain knows nothing of, or knows otherwise', ({ expect }) => {
    expect(found({ spendings: [] })).toEqual([
      `Payment ${intent} is confirmed in the ledger; the chain has not spent its intent.`,
    ])
    expect(told({ state: 'reverted', outcome: 'failed', block: 6 })).toEqual([
      `Payment ${intent}: outcome failed in the ledger, executed in the chain.`,
      `Payment ${intent}: block 6 in the ledger, 5 in the chain.`,
    ])
    expect(told({ state: 'expired', outcome: null, hash: null, block: null })).toEqual([
      `Payment ${intent} has expired in the ledger; block 5 has executed it.`,
    ])
    expect(told({ state: 'broadcast', outcome: null, block: null })).toEqual([
      `Payment ${intent} is broadcast in the ledger; block 5 has executed it.`,
    ])
  })

  test('leaves alone what is newer than the block, or that no round could notice yet', ({
    expect,
  }) => {
    expect(found({ payments: [{ ...confirmed, block: 101 }], spendings: [] })).toEqual([])
    const broadcast: PaymentSummary = {
      ...confirmed,
      state: 'broadcast',
      outcome: null,
      block: null,
    }
    expect(found({ payments: [broadcast], head: 16 })).toEqual([])
  })

  test('finds another amount, an intent that is spent again, and one that nobody asked for', ({
    expect,
  }) => {
    expect(told({ spendsWei: '4' })).toEqual([
      `Payment ${intent}: its transaction ${hash} has not moved 4 wei.`,
    ])
    const cashedOut = {
      events: events.with(2, { name: 'Withdrawn', account: alice, wei: 3n, hash }),
    }
    const payments: PaymentSummary[] = [{ ...confirmed, kind: 'cashOut' }]
    expect(
      found({
        ...cashedOut,
        payments,
        totals: { ...agreed.totals, balancesWei: 7n },
        heldWei: 107n,
      }),
    ).toEqual([])
    expect(found({ payments })).toEqual([
      `Payment ${intent}: its transaction ${hash} has not moved 3 wei.`,
    ])
    for (const kind of ['loan', 'repayment'] as const) {
      expect(told({ kind, spendsWei: '0' })).toEqual([
        `Payment ${intent}: its transaction ${hash} has not moved any wei.`,
      ])
    }
    const again = (at: number): Spending => ({ ...spent, block: 9, at })
    expect(
      found({ payments: [{ ...confirmed, block: 9 }], spendings: [spent, again(day)] }),
    ).toEqual([`Intent ${intent} was spent twice: in blocks 5 and 9.`])
    const recycled = { payments: [{ ...confirmed, block: 9 }], spendings: [spent, again(7 * day)] }
    expect(found(recycled)).toEqual([])
    const other: Spending = { ...spent, account: bob, block: 6 }
    expect(found({ spendings: [spent, other] })).toEqual([
      `Block 6 has executed intent ${intent} of ${bob}; the ledger has no such payment.`,
    ])
    // What is older than all that the ledger knows, it has forgotten.
    expect(found({ spendings: [{ ...other, block: 4 }, spent] })).toEqual([])
  })

  test('compares a ledger of hundreds of thousands of payments', ({ expect }) => {
    const payments = Array.from({ length: 300_000 }, () => confirmed)
    expect(found({ payments, spendings: [{ ...spent, account: bob, block: 4 }, spent] })).toEqual(
      [],
    )
  })

  test('finds sums and balances that the events do not come to, and money that is missing', ({
    expect,
  }) => {
    const totals = { balancesWei: 11n, owedWei: 1n, freeWei: 99n }
    expect(found({ totals })).toEqual([
      'At block 100 the loan contract has 11 wei as all balances; its events come to 10.',
      'At block 100 the loan contract has 1 wei as all that is owed; its events come to 0.',
      'At block 100 the loan contract has 99 wei as the free pool; its events come to 100.',
    ])
    expect(found({ heldWei: 109n })).toEqual([
      'The loan contract has 109 wei, less than the 110 that it owes.',
    ])
    const accounts = new Map([[bob, { balanceWei: 4n, owedWei: 2n }]])
    expect(found({ accounts })).toEqual([
      `At block 100 the loan contract has 4 wei as the balance of ${bob}; its events come to 3.`,
      `At block 100 the loan contract has 2 wei as the loan of ${bob}; its events come to 0.`,
    ])
  })
})

describe('the books of the loan contract', () => {
  const booksOf = (...events: LoanEvent[]) => {
    const { accounts, totals } = replay([{ name: 'Funded', wei: 100n }, ...events])
    return { totals, alice: accounts.get(alice), bob: accounts.get(bob) }
  }
  const issued: LoanEvent = { name: 'LoanIssued', account: alice, wei: 10n, feeWei: 0n }

  test('take a loan from the pool, and give back what is repaid from a balance or from outside', ({
    expect,
  }) => {
    const repaid = (isFromBalance: boolean) =>
      booksOf(issued, { name: 'LoanRepaid', account: alice, wei: 4n, isFromBalance })
    expect(repaid(true)).toEqual({
      totals: { balancesWei: 6n, owedWei: 6n, freeWei: 94n },
      ...{ alice: { balanceWei: 6n, owedWei: 6n, isWrittenOff: false }, bob: undefined },
    })
    expect(repaid(false).totals).toEqual({ balancesWei: 10n, owedWei: 6n, freeWei: 94n })
  })

  test('count no loan that is written off, in whichever account', ({ expect }) => {
    const passed = booksOf(
      issued,
      { name: 'LoanWrittenOff', account: alice, wei: 10n },
      { name: 'Deposited', account: bob, wei: 1n },
      { name: 'AccountPassed', from: alice, to: bob },
    )
    expect(passed).toEqual({
      totals: { balancesWei: 11n, owedWei: 0n, freeWei: 90n },
      alice: { balanceWei: 0n, owedWei: 0n, isWrittenOff: false },
      bob: { balanceWei: 11n, owedWei: 10n, isWrittenOff: true },
    })
  })

  test('follow accounts out of the contract and into it, and what owners take', ({ expect }) => {
    const moved = booksOf(
      issued,
      { name: 'AccountMoved', account: alice },
      { name: 'AccountTakenOver', account: bob, wei: 5n, owedWei: 3n, isWrittenOff: false },
      { name: 'Withdrawn', account: bob, wei: 2n },
      { name: 'Defunded', wei: 50n },
    )
    expect(moved).toEqual({
      totals: { balancesWei: 3n, owedWei: 3n, freeWei: 40n },
      alice: { balanceWei: 0n, owedWei: 0n, isWrittenOff: false },
      bob: { balanceWei: 3n, owedWei: 3n, isWrittenOff: false },
    })
  })
})
