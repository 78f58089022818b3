import type { Address } from 'viem'

/** What an event of the loan contract changes; of a repayment also what it was paid from. */
export type LoanEvent =
  | {
      name: 'Deposited' | 'Withdrawn' | 'LoanWrittenOff'
      account: Address
      wei: bigint
    }
  | { name: 'LoanIssued'; account: Address; wei: bigint; feeWei: bigint }
  | { name: 'Transferred'; from: Address; to: Address; wei: bigint }
  | { name: 'LoanRepaid'; account: Address; wei: bigint; isFromBalance: boolean }
  | { name: 'AccountPassed'; from: Address; to: Address }
  | { name: 'AccountMoved'; account: Address }
  | {
      name: 'AccountTakenOver'
      account: Address
      wei: bigint
      owedWei: bigint
      isWrittenOff: boolean
    }
  | { name: 'Funded' | 'Defunded'; wei: bigint }

export type Account = { balanceWei: bigint; owedWei: bigint; isWrittenOff: boolean }

/** What the contract keeps in sums: all balances, all that is owed and not written off, the free pool. */
export type Totals = { balancesWei: bigint; owedWei: bigint; freeWei: bigint }

const nothing: Account = { balanceWei: 0n, owedWei: 0n, isWrittenOff: false }

/** What accounts and sums have to be after these events, in the order of the chain. */
export function replay(events: Iterable<LoanEvent>): {
  accounts: ReadonlyMap<Address, Account>
  totals: Totals
} {
  const accounts = new Map<Address, Account>()
  const of = (address: Address) => accounts.get(address) ?? nothing
  const change = (address: Address, changes: Partial<Account>) =>
    accounts.set(address, { ...of(address), ...changes })
  const credit = (address: Address, wei: bigint) =>
    change(address, { balanceWei: of(address).balanceWei + wei })
  let freeWei = 0n

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
      case 'LoanIssued':
        credit(event.account, event.wei)
        change(event.account, { owedWei: event.wei + event.feeWei, isWrittenOff: false })
        freeWei -= event.wei
        break
      case 'LoanRepaid':
        if (event.isFromBalance) credit(event.account, -event.wei)
        change(event.account, { owedWei: of(event.account).owedWei - event.wei })
        freeWei += event.wei
        break
      case 'LoanWrittenOff':
        change(event.account, { isWrittenOff: true })
        break
      case 'AccountPassed': {
        const { balanceWei, ...loan } = of(event.from)
        accounts.set(event.from, nothing)
        credit(event.to, balanceWei)
        change(event.to, loan)
        break
      }
      case 'AccountMoved':
        accounts.set(event.account, nothing)
        break
      case 'AccountTakenOver':
        credit(event.account, event.wei)
        if (event.owedWei > 0n) {
          change(event.account, { owedWei: event.owedWei, isWrittenOff: event.isWrittenOff })
        }
        break
      case 'Funded':
        freeWei += event.wei
        break
      case 'Defunded':
        freeWei -= event.wei
        break
    }
  }
  const all = [...accounts.values()]
  const balancesWei = all.reduce((sum, { balanceWei }) => sum + balanceWei, 0n)
  const owedWei = all
    .filter(({ isWrittenOff }) => !isWrittenOff)
    .reduce((sum, { owedWei: owed }) => sum + owed, 0n)
  return { accounts, totals: { balancesWei, owedWei, freeWei } }
}
