import { type Address, formatEther } from 'viem'
import type { Chain } from '../../../src/chain/chains.ts'
import { gasFor } from '../../../src/relay/relayer.ts'
import { inTurns } from '../reads.ts'
import {
  type AccountState,
  type Call,
  countedDebt,
  isOpen,
  type Move,
  readNeed,
  type Survey,
  sum,
  surveyPair,
} from './accounts.ts'
import { findObstacles } from './obstacles.ts'
import type { Phone } from './phones.ts'
import type { OpenedDeployment } from './records.ts'

export type Migration = OpenedDeployment & {
  move: Move
  phones: ReadonlyMap<Address, Phone>
  batchSize: number
  maxBlocks: bigint
  /** Gets addresses and amounts only. */
  log: (line: string) => void
}

export type Task = { phone: Phone; state: AccountState; calls: readonly Call[] }

export type Todo = Awaited<ReturnType<typeof findTodo>>

/** Finds all that is to be done, and who has or owes something and belongs to no given number. */
export async function findTodo(migration: Migration) {
  const { client, move, phones, maxBlocks } = migration
  const block = await client.getBlockNumber({ cacheTime: 0 })
  const survey = await surveyPair(client, move.from, { block, maxBlocks })
  const heirs = new Set([...phones.values()].map(({ heir }) => heir?.address))
  const isOutside = (state: AccountState) =>
    isOpen(state) && !phones.has(state.address) && !heirs.has(state.address)
  const own = [...survey.states.keys()].flatMap((address) => phones.get(address) ?? [])
  const outside = [...survey.states.values()].filter(isOutside)
  return { survey, outside, ...(await readTasks(migration, own, survey)) }
}

/** Reads what accounts need, the largest balance first, and which an operator has to look at. */
export async function readTasks(
  { client, move }: Migration,
  phones: readonly Phone[],
  at: Pick<Survey, 'books' | 'block'>,
) {
  const tasks: Task[] = []
  const stuck: { address: Address; reason: string }[] = []
  await inTurns(phones, async (phone) => {
    const { state, calls } = await readNeed(client, move, phone, at)
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

/** Prints what a run would do and what that costs at most. Sends nothing. */
export async function printPlan(migration: Migration): Promise<void> {
  const { client, chain, log, batchSize } = migration
  const { tasks, stuck, outside } = await findTodo(migration)
  const amount = (wei: bigint) => showAmount(wei, chain)
  for (const { state, calls } of tasks) {
    log(`${calls.at(-1)?.name} ${describeAccount(state, chain)}`)
  }
  for (const { address, reason } of stuck) log(`stuck ${address}: ${reason}`)
  printOutside(migration, outside)
  const states = tasks.map(({ state }) => state)
  const batches = batchesOf(tasks, batchSize)
  const gas = batches.reduce((all, batch) => all + gasFor(batch.flatMap(({ calls }) => calls)), 0)
  const priceWei = await client.getGasPrice()
  const held = amount(sum(states.map(({ balanceWei }) => balanceWei)))
  const owed = amount(sum(states.map(countedDebt)))
  log(`${states.length} accounts to move with ${held}, owing ${owed} that is not written off`)
  const cost = amount(BigInt(gas) * priceWei)
  log(`${batches.length} transactions with ${gas} gas at most, ${cost} at the node's price`)
  for (const obstacle of await findObstacles(migration)) log(`not yet: ${obstacle}`)
}

/** Says who is left to itself: outside wallets, and phones whose number is missing. */
export function printOutside(
  { chain, log }: Pick<Migration, 'chain' | 'log'>,
  outside: readonly AccountState[],
): void {
  for (const state of outside) log(`no number given ${describeAccount(state, chain)}`)
  const held = showAmount(sum(outside.map(({ balanceWei }) => balanceWei)), chain)
  log(`${outside.length} accounts that no given number fits, with ${held}`)
}

export function showAmount(wei: bigint, { currency }: Chain): string {
  return `${formatEther(wei)} ${currency}`
}

export function describeAccount({ address, balanceWei, debt }: AccountState, chain: Chain): string {
  const balance = showAmount(balanceWei, chain)
  if (debt === undefined) return `${address} ${balance}`
  const owed = showAmount(debt.owedWei, chain)
  const due = new Date(Number(debt.dueAt) * 1000).toISOString()
  return `${address} ${balance}, owes ${owed} due ${due}${debt.isWrittenOff ? ', written off' : ''}`
}

export function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
