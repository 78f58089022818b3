import type { Address } from 'viem'
import type { LoanEvent } from './loan-events.ts'

/** A debt in wei, its fee in basis points of the principal, and when it is due (Unix s). */
export type Debt = { owedWei: bigint; feeRate: bigint; dueAt: bigint; isWrittenOff: boolean }

export type Account = Debt & {
  balanceWei: bigint
  /** It stands in the list of borrowers, or stood in it when it moved to the successor. */
  isListed: boolean
  /** It has had a loan, its own or one that was passed on: it takes over no other account. */
  hasBorrowed: boolean
}

/** What the contract keeps in sums: all balances, all that is owed and not written off, the free pool. */
export type Totals = { balancesWei: bigint; owedWei: bigint; freeWei: bigint }

/** What went through an account's moves, summed up; it has several if it was paid again. */
export type Moved = { wei: bigint; owedWei: bigint; times: number }

export type LoanBooks = {
  /** Every account that can have a balance, a debt or a place in the list of borrowers. */
  accounts: ReadonlyMap<Address, Account>
  totals: Totals
  /** What went from one account to another. */
  passages: readonly Extract<LoanEvent, { name: 'AccountPassed' }>[]
  /** What left for the successor, and what came from the predecessor. */
  moved: ReadonlyMap<Address, Moved>
  takenOver: ReadonlyMap<Address, Moved>
}

const noDebt: Debt = { owedWei: 0n, feeRate: 0n, dueAt: 0n, isWrittenOff: false }
const nothing: Account = { ...noDebt, balanceWei: 0n, isListed: false, hasBorrowed: false }

/** What accounts and sums have to be after these events, in the order of the chain. */
export function replay(events: Iterable<LoanEvent>): LoanBooks {
  const accounts = new Map<Address, Account>()
  const [moved, takenOver] = [new Map<Address, Moved>(), new Map<Address, Moved>()]
  const passages: Extract<LoanEvent, { name: 'AccountPassed' }>[] = []
  let freeWei = 0n
  const of = (address: Address) => accounts.get(address) ?? nothing
  const change = (address: Address, changes: Partial<Account>) =>
    accounts.set(address, { ...of(address), ...changes })
  const credit = (address: Address, wei: bigint) =>
    change(address, { balanceWei: of(address).balanceWei + wei })

  for (const event of events) {
    switch (event.name) {
      case 'Deposited':
        credit(event.account, event.wei)
        break
      case 'Withdrawn':
        credit(event.account, -event.wei)
        break
      case 'Transferred':
        credit(event.from, -event.wei)
        credit(event.to, event.wei)
        break
      case 'BorrowerSet':
        change(event.account, { isListed: event.isListed })
        break
      case 'LoanIssued': {
        const { account, wei, feeWei, dueAt } = event
        // The fee was rounded down, by less than a basis point of the smallest principal.
        const feeRate = (feeWei * 10_000n + wei - 1n) / wei
        credit(account, wei)
        change(account, { ...noDebt, owedWei: wei + feeWei, feeRate, dueAt, hasBorrowed: true })
        freeWei -= wei
        break
      }
      case 'LoanRepaid':
        if (event.isFromBalance) credit(event.account, -event.wei)
        change(event.account, { owedWei: of(event.account).owedWei - event.wei })
        freeWei += event.wei
        break
      case 'LoanWrittenOff':
        change(event.account, { isWrittenOff: true })
        break
      case 'AccountPassed': {
        const [from, to] = [of(event.from), of(event.to)]
        passages.push(event)
        accounts.set(event.from, { ...nothing, hasBorrowed: from.hasBorrowed })
        accounts.set(event.to, {
          ...from,
          balanceWei: from.balanceWei + to.balanceWei,
          isListed: from.isListed || to.isListed,
          hasBorrowed: from.hasBorrowed || to.hasBorrowed,
        })
        break
      }
      case 'AccountMoved':
        change(event.account, { ...noDebt, balanceWei: 0n })
        sumUp(moved, event)
        break
      case 'AccountTakenOver': {
        const { account, wei, owedWei, feeRate, dueAt, isWrittenOff } = event
        const debt = { owedWei, feeRate, dueAt, isWrittenOff }
        credit(account, wei)
        if (owedWei > 0n) change(account, { ...debt, hasBorrowed: true })
        sumUp(takenOver, event)
        break
      }
      case 'Funded':
        freeWei += event.wei
        break
      case 'Defunded':
        freeWei -= event.wei
        break
    }
  }
  const totals = { ...sumsOf([...accounts.values()]), freeWei }
  return { accounts, totals, passages, moved, takenOver }
}

function sumsOf(accounts: readonly Account[]): Omit<Totals, 'freeWei'> {
  const sum = (of: (account: Account) => bigint) =>
    accounts.reduce((total, account) => total + of(account), 0n)
  return {
    balancesWei: sum(({ balanceWei }) => balanceWei),
    owedWei: sum(({ owedWei, isWrittenOff }) => (isWrittenOff ? 0n : owedWei)),
  }
}

function sumUp(
  sums: Map<Address, Moved>,
  { account, wei, owedWei }: { account: Address; wei: bigint; owedWei: bigint },
): void {
  const before = sums.get(account) ?? { wei: 0n, owedWei: 0n, times: 0 }
  sums.set(account, {
    wei: before.wei + wei,
    owedWei: before.owedWei + owedWei,
    times: before.times + 1,
  })
}
