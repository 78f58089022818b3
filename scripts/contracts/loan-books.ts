import type { Address } from 'viem'
import type { Booked, LoanEvent } from './reads.ts'

/** Holds a debt in wei, its fee in basis points of the principal, and its due time (Unix s). */
export type Debt = { owedWei: bigint; feeRate: bigint; dueAt: bigint; isWrittenOff: boolean }

export type Account = Debt & {
  balanceWei: bigint
  /** Is or was in the list of borrowers when the account moved to the successor. */
  isListed: boolean
  /** Is what the creditor lets it borrow at a time; 0n for as much as everybody. */
  limitWei: bigint
  /** Has had a loan, its own or a migrated one, and can take over no other account. */
  hasBorrowed: boolean
}

/** Reads the contract's sums: balances, unpaid debts that are not written off, the free pool. */
export type Totals = { balancesWei: bigint; owedWei: bigint; freeWei: bigint }

type Passage = Extract<LoanEvent, { eventName: 'AccountPassed' }>['args']

/** Sums up an account's moves; it has several if it was paid again. */
type Moved = { balanceWei: bigint; owedWei: bigint; times: number }

export type LoanBooks = ReturnType<typeof replay>

const noDebt: Debt = { owedWei: 0n, feeRate: 0n, dueAt: 0n, isWrittenOff: false }
const none = { balanceWei: 0n, isListed: false, limitWei: 0n, hasBorrowed: false }
const nothing: Account = { ...noDebt, ...none }

/** Computes accounts and sums from events in the chain's order. */
export function replay(events: Iterable<LoanEvent & Partial<Booked>>) {
  const accounts = new Map<Address, Account>()
  const [moved, takenOver] = [new Map<Address, Moved>(), new Map<Address, Moved>()]
  const passages: Passage[] = []
  let freeWei = 0n
  const of = (address: Address) => accounts.get(address) ?? nothing
  const change = (address: Address, changes: Partial<Account>) =>
    accounts.set(address, { ...of(address), ...changes })
  const credit = (address: Address, wei: bigint) =>
    change(address, { balanceWei: of(address).balanceWei + wei })

  for (const { eventName, args, isSentAlong = false } of events) {
    switch (eventName) {
      case 'Deposited':
        credit(args.account, args.amount)
        break
      case 'Withdrawn':
        credit(args.account, -args.amount)
        break
      case 'Transferred':
        credit(args.from, -args.amount)
        credit(args.to, args.amount)
        break
      case 'BorrowerSet':
      case 'BorrowerLimitSet':
        change(args.account, 'limit' in args ? { limitWei: args.limit } : { isListed: args.listed })
        break
      case 'LoanIssued': {
        const { borrower, amount, fee, dueAt } = args
        // The fee was rounded down, by less than a basis point of the smallest principal.
        const feeRate = (fee * 10_000n + amount - 1n) / amount
        credit(borrower, amount)
        change(borrower, { ...noDebt, owedWei: amount + fee, feeRate, dueAt, hasBorrowed: true })
        freeWei -= amount
        break
      }
      case 'LoanRepaid': {
        const { borrower, payer, amount } = args
        if (borrower === payer && !isSentAlong) credit(borrower, -amount)
        change(borrower, { owedWei: of(borrower).owedWei - amount })
        freeWei += amount
        break
      }
      case 'LoanWrittenOff':
        change(args.borrower, { isWrittenOff: true })
        break
      case 'AccountPassed': {
        const [from, to] = [of(args.from), of(args.to)]
        passages.push(args)
        accounts.set(args.from, { ...nothing, hasBorrowed: from.hasBorrowed })
        accounts.set(args.to, {
          ...from,
          balanceWei: from.balanceWei + to.balanceWei,
          isListed: from.isListed || to.isListed,
          limitWei: from.limitWei || to.limitWei,
          hasBorrowed: from.hasBorrowed || to.hasBorrowed,
        })
        break
      }
      case 'AccountMoved':
        change(args.account, { ...noDebt, balanceWei: 0n })
        sumUp(moved, args.account, args.amount, args.owed)
        break
      case 'AccountTakenOver': {
        const { account, amount, loan } = args
        const { owed: owedWei, ...terms } = loan
        credit(account, amount)
        if (owedWei > 0n) change(account, { ...terms, owedWei, hasBorrowed: true })
        sumUp(takenOver, account, amount, owedWei)
        break
      }
      case 'Funded':
      case 'Defunded':
        freeWei += eventName === 'Funded' ? args.amount : -args.amount
        break
    }
  }
  return { accounts, totals: totalsOf(accounts.values(), freeWei), passages, moved, takenOver }
}

/** Holds an account's balance and debt, without a debt that was written off. */
export type Holding = { balanceWei: bigint; owedWei: bigint; isWrittenOff?: boolean }

export function totalsOf(accounts: Iterable<Holding>, freeWei = 0n): Totals {
  const totals = { balancesWei: 0n, owedWei: 0n, freeWei }
  for (const { balanceWei, owedWei, isWrittenOff } of accounts) {
    totals.balancesWei += balanceWei
    if (!isWrittenOff) totals.owedWei += owedWei
  }
  return totals
}

function sumUp(sums: Map<Address, Moved>, account: Address, wei: bigint, owedWei: bigint): void {
  const sum = sums.get(account) ?? { balanceWei: 0n, owedWei: 0n, times: 0 }
  sum.balanceWei += wei
  sum.owedWei += owedWei
  sum.times += 1
  sums.set(account, sum)
}
