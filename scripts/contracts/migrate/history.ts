import type { Address } from 'viem'
import type { LoanEvent } from './events.ts'

/** A debt as events tell it, in wei; its fee in basis points of the principal, `dueAt` in Unix time. */
export type Debt = { owedWei: bigint; feeRate: bigint; dueAt: bigint; isWrittenOff: boolean }

/** What went from one contract to another, or from one account to another, in wei. */
export type Passage = { from: Address; to: Address; amountWei: bigint; owedWei: bigint }

/** What went through an account's moves, summed up; it has several if it was paid again. */
export type Moved = { amountWei: bigint; owedWei: bigint; times: number }

/** What a loan contract's events say from its first block on. */
export type History = {
  /** Every account that can have a balance, a debt or a place in the list of borrowers. */
  accounts: Set<Address>
  /** Accounts that have had a loan, their own or one that was passed on: they take over no other account. */
  borrowed: Set<Address>
  debts: Map<Address, Debt>
  /** Who stands in the list, or stood in it when it moved to the successor. */
  listed: Set<Address>
  passages: Passage[]
  moved: Map<Address, Moved>
  takenOver: Map<Address, Moved>
}

/** Replays events in the order given. Balances are no part of it: the contract's own are read. */
export function replay(events: readonly LoanEvent[]): History {
  const history: History = {
    accounts: new Set(),
    borrowed: new Set(),
    debts: new Map(),
    listed: new Set(),
    passages: [],
    moved: new Map(),
    takenOver: new Map(),
  }
  for (const event of events) apply(history, event)
  return history
}

function apply(history: History, event: LoanEvent): void {
  const { accounts, borrowed, debts, listed } = history
  switch (event.eventName) {
    case 'Deposited':
      accounts.add(event.args.account)
      return
    case 'Transferred':
      accounts.add(event.args.to)
      return
    case 'BorrowerSet':
      accounts.add(event.args.account)
      if (event.args.listed) listed.add(event.args.account)
      else listed.delete(event.args.account)
      return
    case 'LoanIssued': {
      const { borrower, amount, fee, dueAt } = event.args
      accounts.add(borrower)
      borrowed.add(borrower)
      // The fee was rounded down, by less than a basis point of the smallest principal.
      const feeRate = (fee * 10_000n + amount - 1n) / amount
      debts.set(borrower, { owedWei: amount + fee, feeRate, dueAt, isWrittenOff: false })
      return
    }
    case 'LoanRepaid': {
      const { borrower, remaining } = event.args
      const debt = debts.get(borrower)
      if (remaining === 0n || debt === undefined) debts.delete(borrower)
      else debts.set(borrower, { ...debt, owedWei: remaining })
      return
    }
    case 'LoanWrittenOff': {
      const debt = debts.get(event.args.borrower)
      if (debt !== undefined) debts.set(event.args.borrower, { ...debt, isWrittenOff: true })
      return
    }
    case 'AccountPassed':
      pass(history, event.args)
      return
    case 'AccountMoved':
      debts.delete(event.args.account)
      sumUp(history.moved, event.args.account, event.args.amount, event.args.owed)
      return
    case 'AccountTakenOver': {
      const { account, amount, loan } = event.args
      accounts.add(account)
      sumUp(history.takenOver, account, amount, loan.owed)
      if (loan.owed === 0n) return
      borrowed.add(account)
      const { owed, feeRate, dueAt, isWrittenOff } = loan
      debts.set(account, { owedWei: owed, feeRate, dueAt, isWrittenOff })
    }
  }
}

function pass(
  history: History,
  { from, to, amount, owed }: { from: Address; to: Address; amount: bigint; owed: bigint },
): void {
  const { accounts, borrowed, debts, listed, passages } = history
  accounts.add(to)
  passages.push({ from, to, amountWei: amount, owedWei: owed })
  if (borrowed.has(from)) borrowed.add(to)
  if (listed.delete(from)) listed.add(to)
  const debt = debts.get(from)
  debts.delete(from)
  if (debt !== undefined) debts.set(to, debt)
}

function sumUp(sums: Map<Address, Moved>, account: Address, amount: bigint, owed: bigint): void {
  const { amountWei, owedWei, times } = sums.get(account) ?? {
    amountWei: 0n,
    owedWei: 0n,
    times: 0,
  }
  sums.set(account, { amountWei: amountWei + amount, owedWei: owedWei + owed, times: times + 1 })
}
