import {
  type Address,
  encodeFunctionData,
  type Hex,
  type LocalAccount,
  type PublicClient,
} from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { callOf } from '../../../src/loan/calls.ts'
import { StackError } from '../../stack/report.ts'
import { type Debt, replay } from '../loan-books.ts'
import { readLoanEvents } from '../loan-events.ts'
import { inTurns, loanAt } from '../reads.ts'
import type { Phone } from './phones.ts'
import type { Pair } from './records.ts'

/** Where accounts go: to a pair that takes them over, or to the account of another secret or number. */
export type Move =
  | { kind: 'pair'; from: Pair; to: Pair }
  | { kind: 'secret' | 'number'; from: Pair }

export type AccountState = Awaited<ReturnType<typeof readAccount>>

export type Survey = Awaited<ReturnType<typeof surveyPair>>

/** Finds every account by events and reads each. @throws {StackError} the contract's sums are others */
export async function surveyPair(
  client: PublicClient,
  { loan, deployedBlock }: Pair,
  { block, maxBlocks }: { block: bigint; maxBlocks: bigint },
) {
  const range = { fromBlock: deployedBlock, toBlock: block, maxBlocks }
  const books = replay(await readLoanEvents(client, loan, range))
  const states = new Map<Address, AccountState>()
  await inTurns(books.accounts.keys(), async (address) => {
    states.set(address, await readAccount(client, loan, address, block))
  })
  const balancesWei = sum([...states.values()].map((state) => state.balanceWei))
  const owedWei = sum([...states.values()].map(countedDebt))
  const read = loanAt(client, loan)
  const balances = await read.totalBalances({ blockNumber: block })
  const owed = await read.totalOwed({ blockNumber: block })
  if (balancesWei === balances && owedWei === owed) return { block, books, states, balancesWei }
  throw new StackError(
    `the accounts found in the events of ${loan} have ${balancesWei} wei and owe ${owedWei}, and the contract says ${balances} and ${owed}: the node keeps events back, or the record's first block is too late`,
  )
}

/** Reads what the loan contract says of an account in one block; no debt: no loan. */
async function readAccount(
  client: PublicClient,
  loan: Address,
  address: Address,
  blockNumber: bigint,
) {
  const read = loanAt(client, loan)
  const [balanceWei, { owed: owedWei, feeRate, dueAt, isWrittenOff }, isListed] = await Promise.all(
    [
      read.getBalance([address], { blockNumber }),
      read.loanDetailsOf([address], { blockNumber }),
      read.isListed([address], { blockNumber }),
    ],
  )
  const debt: Debt | undefined =
    owedWei === 0n ? undefined : { owedWei, feeRate, dueAt, isWrittenOff }
  return { address, balanceWei, debt, isListed }
}

export const isOpen = ({ balanceWei, debt }: AccountState): boolean =>
  balanceWei > 0n || debt !== undefined

export const countedDebt = ({ debt }: Pick<AccountState, 'debt'>): bigint =>
  debt === undefined || debt.isWrittenOff ? 0n : debt.owedWei

export const sum = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n)

export type Call = {
  name: keyof typeof gasOf
  signer: LocalAccount
  target: Hex
  data: Hex
  gas: number
}

/** Gas to sign for: what a call takes in Ethereum's prices where nothing was written, and half more. */
const gasOf = { moveAccount: 250_000, acceptAccount: 60_000, passAccount: 90_000, transfer: 60_000 }

/** What an account still needs: calls of one transaction, of which only the last moves anything. */
type Need = { state: AccountState; calls: readonly Call[] | 'two_debts' }

/** Reads an account in a block, and what it needs; `two_debts`: its heir has had a loan, and this one owes. */
export async function readNeed(
  client: PublicClient,
  move: Move,
  { account, heir }: Phone,
  { books, block }: Pick<Survey, 'books' | 'block'>,
): Promise<Need> {
  const { loan } = move.from
  const state = await readAccount(client, loan, account.address, block)
  const abi = microLoanAbi
  if (move.kind === 'pair') {
    const data = encodeFunctionData({ abi, functionName: 'moveAccount' })
    const moving = callBy(account, 'moveAccount', move.to.loan, data)
    return { state, calls: isOpen(state) ? [moving] : [] }
  }
  if (heir === undefined) throw new Error('each phone of this move has an heir')
  if (books.accounts.get(heir.address)?.hasBorrowed === true) {
    if (state.debt !== undefined) return { state, calls: 'two_debts' }
    // What came after the account was passed on: its heir has its history, and can't take another.
    const data = callOf({ kind: 'transfer', to: heir.address, amountWei: state.balanceWei })
    const following = callBy(account, 'transfer', heir.address, data)
    return { state, calls: isOpen(state) ? [following] : [] }
  }
  if (!isOpen(state) && !state.isListed) return { state, calls: [] }
  const acceptedBy = await loanAt(client, loan).acceptedBy([heir.address], { blockNumber: block })
  const encode = (functionName: 'acceptAccount' | 'passAccount', of: Hex) =>
    encodeFunctionData({ abi, functionName, args: [of] })
  const { address } = account
  const accepting = callBy(heir, 'acceptAccount', address, encode('acceptAccount', address))
  const passing = encode('passAccount', heir.address)
  return {
    state,
    calls: [
      ...(acceptedBy === address ? [] : [accepting]),
      callBy(account, 'passAccount', heir.address, passing),
    ],
  }
}

const callBy = (signer: LocalAccount, name: Call['name'], target: Hex, data: Hex): Call => ({
  ...{ name, signer, target, data },
  gas: gasOf[name],
})
