import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  type LocalAccount,
  type PublicClient,
} from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { getQuantum } from '../../../src/loan/amounts.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { inLanes } from '../../dev/lanes.ts'
import { StackError } from '../../stack/report.ts'
import { type LoanBooks, replay, totalsOf } from '../loan-books.ts'
import { lanes, loanAt, readLoanEvents } from '../reads.ts'
import type { OpenedDeployment, Pair, Relayer } from './open.ts'
import type { Phone } from './phones.ts'

export type Migration = OpenedDeployment & {
  /** Takes the accounts over; without it each goes to its phone's next account. */
  to?: Pair | undefined
  /** Tells whether accounts move while all others are served. */
  isServed?: boolean
  phones: ReadonlyMap<Address, Phone>
  batchSize: number
  /** Gets addresses and amounts only. */
  log: (line: string) => void
}

export type AccountState = Awaited<ReturnType<typeof readAccount>>

export type Survey = Awaited<ReturnType<typeof surveyPair>>

/** Finds all accounts by events and reads each. @throws {StackError} the contract's sums differ */
export async function surveyPair({ client }: Migration, pair: Pair, block: bigint) {
  const { loan, deployedBlock } = pair
  const range = { fromBlock: deployedBlock, toBlock: block }
  const books = replay(await readLoanEvents(client, loan, range))
  const states = new Map<Address, AccountState>()
  await inLanes(lanes, books.accounts.keys(), async (address) => {
    states.set(address, await readAccount(client, loan, address, block))
  })
  const { balancesWei, owedWei } = totalsOf(states.values())
  const read = loanAt(client, loan)
  const balances = await read.totalBalances({ blockNumber: block })
  const owed = await read.totalOwed({ blockNumber: block })
  if (balancesWei === balances && owedWei === owed) return { block, books, states, balancesWei }
  throw new StackError(
    `the accounts found in the events of ${loan} have ${balancesWei} wei and owe ${owedWei}, and the contract says ${balances} and ${owed}: the node keeps events back, or the record's first block is too late`,
  )
}

async function readAccount(client: PublicClient, loan: Address, address: Address, block: bigint) {
  const read = loanAt(client, loan)
  const at = { blockNumber: block }
  const [balanceWei, { owed: owedWei, ...terms }, isListed] = await Promise.all([
    read.getBalance([address], at),
    read.loanDetailsOf([address], at),
    read.isListed([address], at),
  ])
  return { address, balanceWei, owedWei, ...terms, isListed }
}

const isOpen = ({ balanceWei, owedWei }: AccountState): boolean => balanceWei > 0n || owedWei > 0n

/** Holds the gas to sign for: a call's use at Ethereum's prices for new storage, and half more. */
const gasOf = {
  moveAccount: 250_000,
  acceptAccount: 60_000,
  passAccount: 90_000,
  transfer: 60_000,
  sweepInlet: 120_000,
}

export type Call = {
  name: keyof typeof gasOf
  signer: LocalAccount
  target: Hex
  data: Hex
  gas: number
}

/** Holds an account's remaining calls; only the last one moves money. */
export type Task = { phone: Phone; state: AccountState; calls: readonly Call[] }

export type Todo = Awaited<ReturnType<typeof findTodo>>

/** Finds all that is to be done, and who has or owes something and belongs to no given number. */
export async function findTodo(migration: Migration) {
  const { client, pair, phones, unit } = migration
  const survey = await surveyPair(migration, pair, await client.getBlockNumber({ cacheTime: 0 }))
  const heirs = new Set([...phones.values()].map(({ heir }) => heir?.address))
  const known = [...survey.states.keys()].flatMap((address) => phones.get(address) ?? [])
  // No event tells of what has arrived at an inlet.
  const own = unit.token === null ? known : [...phones.values()]
  const outside = [...survey.states.values()].filter(
    (state) => isOpen(state) && !phones.has(state.address) && !heirs.has(state.address),
  )
  return { survey, outside, ...(await readTasks(migration, own, survey)) }
}

/** Finds the accounts with a request in a block that a reorganization may take back. */
export async function findUnsettled(
  { client, forwarder: { address }, rules }: Relayer,
  toBlock: bigint,
): Promise<Set<Address>> {
  const lowest = toBlock - BigInt(rules.confirmations) + 2n
  const fromBlock = lowest < 0n ? 0n : lowest
  if (fromBlock > toBlock) return new Set()
  const range = { address, abi: relayForwarderAbi, fromBlock, toBlock } as const
  const events = await Promise.all([
    client.getContractEvents({ ...range, eventName: 'RequestProcessed' }),
    client.getContractEvents({ ...range, eventName: 'RequestFailed' }),
  ])
  return new Set(events.flat().flatMap(({ args }) => args.from ?? []))
}

/** Reads what accounts need, the largest balance first, and which an operator has to look at. */
export async function readTasks(
  migration: Migration,
  phones: readonly Phone[],
  { books, block }: Pick<Survey, 'books' | 'block'>,
) {
  const { client, pair } = migration
  const tasks: Task[] = []
  const stuck: { address: Address; reason: string }[] = []
  await inLanes(lanes, phones, async (phone) => {
    const state = await readAccount(client, pair.loan, phone.account.address, block)
    const moving = await readCalls(migration, phone, state, { books, block })
    // Last: where the token refuses it, all else has moved. What it credits moves by a later look.
    const calls = moving.length > 0 ? moving : await readSweep(migration, phone, block)
    const reason = 'it owes, and so did its heir: it repays first'
    if (calls === 'two_debts') stuck.push({ address: state.address, reason })
    else if (calls.length > 0) tasks.push({ phone, state, calls })
  })
  tasks.sort(({ state: left }, { state: right }) => {
    if (left.balanceWei === right.balanceWei) return left.address < right.address ? -1 : 1
    return left.balanceWei > right.balanceWei ? -1 : 1
  })
  return { tasks, stuck }
}

/** Finds the sweep of an account's inlet, if it holds what the contract counts. */
async function readSweep(
  { client, pair: { loan }, unit }: Migration,
  { account: signer }: Phone,
  block: bigint,
): Promise<Call[]> {
  if (unit.token === null) return []
  const at = { blockNumber: block }
  const { address: account } = signer
  const inlet = await loanAt(client, loan).inletOf([account], at)
  const token = { address: unit.token.address as Address, abi: erc20Abi } as const
  const held = await client.readContract({
    ...token,
    ...at,
    functionName: 'balanceOf',
    args: [inlet],
  })
  if (held < getQuantum(unit)) return []
  const data = encodeCall({ kind: 'deposit', account, amountWei: 'all' })
  return [{ name: 'sweepInlet', signer, target: account, data, gas: gasOf.sweepInlet }]
}

/** Finds the calls that an account needs; `two_debts`: its heir has had a loan, too. */
async function readCalls(
  { client, pair: { loan }, to }: Migration,
  { account, heir }: Phone,
  state: AccountState,
  { books, block }: { books: LoanBooks; block: bigint },
): Promise<Call[] | 'two_debts'> {
  const abi = microLoanAbi
  const call = (name: Call['name'], signer: LocalAccount, target: Hex, data: Hex): Call => {
    return { name, signer, target, data, gas: gasOf[name] }
  }
  if (to !== undefined) {
    const data = encodeFunctionData({ abi, functionName: 'moveAccount' })
    return isOpen(state) ? [call('moveAccount', account, to.loan, data)] : []
  }
  if (heir === undefined) throw new Error('each phone of this move has an heir')
  if (books.accounts.get(heir.address)?.hasBorrowed === true) {
    if (state.owedWei > 0n) return 'two_debts'
    // What came after the account was passed on: its heir has its history, and can't take another.
    const data = encodeCall({ kind: 'transfer', to: heir.address, amountWei: state.balanceWei })
    return isOpen(state) ? [call('transfer', account, heir.address, data)] : []
  }
  if (!isOpen(state) && !state.isListed) return []
  const acceptedBy = await loanAt(client, loan).acceptedBy([heir.address], { blockNumber: block })
  const tie = (name: 'acceptAccount' | 'passAccount', signer: LocalAccount, of: Address) =>
    call(name, signer, of, encodeFunctionData({ abi, functionName: name, args: [of] }))
  const passing = tie('passAccount', account, heir.address)
  return acceptedBy === account.address
    ? [passing]
    : [tie('acceptAccount', heir, account.address), passing]
}
