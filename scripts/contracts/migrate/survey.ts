import type { Address, PublicClient } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { StackError } from '../../stack/report.ts'
import { type Debt, type LoanBooks, replay } from '../loan-books.ts'
import { readLoanEvents } from '../loan-events.ts'
import type { Pair } from './records.ts'
import { inTurns } from './turns.ts'

/** What the loan contract says of an account in one block. Without a loan, `debt` is undefined. */
export type AccountState = {
  address: Address
  balanceWei: bigint
  debt: Debt | undefined
  isListed: boolean
}

/** All accounts of a loan contract in one block. */
export type Survey = {
  block: bigint
  books: LoanBooks
  states: Map<Address, AccountState>
  balancesWei: bigint
  /** Without what is written off. */
  owedWei: bigint
}

/**
 * Finds every account by the contract's events and reads each in the same block. They have to
 * add up to the contract's own sums, so that an account that events do not show is noticed.
 *
 * @throws {StackError} they do not add up
 */
export async function surveyPair(
  client: PublicClient,
  pair: Pair,
  { block, maxBlocks }: { block: bigint; maxBlocks: bigint },
): Promise<Survey> {
  const { loan, deployedBlock: fromBlock } = pair
  const range = { fromBlock, toBlock: block, maxBlocks }
  const books = replay(await readLoanEvents(client, loan, range))
  const states = new Map<Address, AccountState>()
  await inTurns([...books.accounts.keys()], async (address) => {
    states.set(address, await readAccount(client, loan, address, block))
  })
  const balancesWei = sum([...states.values()].map((state) => state.balanceWei))
  const owedWei = sum([...states.values()].map(countedDebt))
  const contract = { address: loan, abi: microLoanAbi, blockNumber: block } as const
  const totals = {
    balances: await client.readContract({ ...contract, functionName: 'totalBalances' }),
    owed: await client.readContract({ ...contract, functionName: 'totalOwed' }),
  }
  if (balancesWei !== totals.balances || owedWei !== totals.owed) {
    // An account that events do not show: nothing may rest on them.
    throw new StackError(
      `the accounts found in the events of ${loan} have ${balancesWei} wei and owe ${owedWei}, and the contract says ${totals.balances} and ${totals.owed}: the node keeps events back, or the record's first block is too late`,
    )
  }
  return { block, books, states, balancesWei, owedWei }
}

/** One account as it was in a block. */
export async function readAccount(
  client: PublicClient,
  loan: Address,
  address: Address,
  block: bigint,
): Promise<AccountState> {
  const contract = { address: loan, abi: microLoanAbi, blockNumber: block } as const
  const [balanceWei, details, isListed] = await Promise.all([
    client.readContract({ ...contract, functionName: 'getBalance', args: [address] }),
    client.readContract({ ...contract, functionName: 'loanDetailsOf', args: [address] }),
    client.readContract({ ...contract, functionName: 'isListed', args: [address] }),
  ])
  const { owed, feeRate, dueAt, isWrittenOff } = details
  const debt = owed === 0n ? undefined : { owedWei: owed, feeRate, dueAt, isWrittenOff }
  return { address, balanceWei, debt, isListed }
}

/** Whether the account has or owes anything. */
export function isOpen(state: AccountState): boolean {
  return state.balanceWei > 0n || state.debt !== undefined
}

/** What the pool counts on, in wei. */
export function countedDebt({ debt }: Pick<AccountState, 'debt'>): bigint {
  return debt === undefined || debt.isWrittenOff ? 0n : debt.owedWei
}

/** The sum of amounts in wei. */
export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
