import { type Address, formatEther } from 'viem'
import type { Chain } from '../../../src/chain/chains.ts'
import { encodeExecute, type SignedRequest } from '../../../src/relay/forwarder/requests.ts'
import { type Call, type Move, readNeed } from './needs.ts'
import { findObstacles } from './obstacles.ts'
import type { Phone } from './phones.ts'
import type { OpenedDeployment } from './records.ts'
import { gasLimitOf, signCall } from './requests.ts'
import { type AccountState, countedDebt, isOpen, type Survey, sum, surveyPair } from './survey.ts'
import { inTurns } from './turns.ts'

/** What every command works on. */
export type Migration = Pick<OpenedDeployment, 'client' | 'chain' | 'pair' | 'terms'> & {
  move: Move
  /** By their addresses under the old secret. */
  phones: ReadonlyMap<Address, Phone>
  /** Accounts that one transaction moves. */
  batchSize: number
  /** The most blocks that one question for events asks for. */
  maxBlocks: bigint
  /** Addresses and amounts only. */
  log: (line: string) => void
}

/** An account with what it needs. */
export type Task = { phone: Phone; state: AccountState; calls: readonly Call[] }

/** All that is to be done, as the survey saw it; the largest balance first. */
export type Todo = {
  survey: Survey
  tasks: Task[]
  /** Accounts that an operator has to look at, and why. */
  stuck: { address: Address; reason: string }[]
  /** What has or owes something and belongs to no number that was given. */
  outside: AccountState[]
}

/** Reads what there is to do. */
export async function findTodo(migration: Migration): Promise<Todo> {
  const { client, move, phones, maxBlocks } = migration
  const block = await client.getBlockNumber({ cacheTime: 0 })
  const survey = await surveyPair(client, move.from, { block, maxBlocks })
  const heirs = new Set([...phones.values()].map(({ heir }) => heir?.address))
  const isOutside = (state: AccountState) =>
    isOpen(state) && !phones.has(state.address) && !heirs.has(state.address)
  const todo: Todo = {
    survey,
    tasks: [],
    stuck: [],
    outside: [...survey.states.values()].filter(isOutside),
  }
  const own = [...survey.states.keys()].flatMap((address) => phones.get(address) ?? [])
  await inTurns(own, async (phone) => {
    const { books } = survey
    const { state, need } = await readNeed(client, move, phone, { books, block })
    if (need.kind === 'calls') todo.tasks.push({ phone, state, calls: need.calls })
    if (need.kind === 'two_debts') {
      const reason = 'it owes, and so did its heir: it repays first'
      todo.stuck.push({ address: state.address, reason })
    }
  })
  todo.tasks.sort(byBalance)
  return todo
}

/** Prints what a run would do and what that costs at most. Sends nothing. */
export async function printPlan(migration: Migration, relayer: Address | undefined): Promise<void> {
  const { client, chain, log, batchSize } = migration
  const todo = await findTodo(migration)
  const amount = (wei: bigint) => `${formatEther(wei)} ${chain.currency}`
  for (const { state, calls } of todo.tasks) {
    log(`${calls.at(-1)?.name} ${describeAccount(state, chain)}`)
  }
  for (const { address, reason } of todo.stuck) log(`stuck ${address}: ${reason}`)
  printOutside(migration, todo.outside)
  const states = todo.tasks.map(({ state }) => state)
  const { timestamp } = await client.getBlock({ blockNumber: todo.survey.block })
  let gas = 0
  for (const batch of batchesOf(todo.tasks, batchSize)) {
    const requests = await signBatch(migration, batch, { number: todo.survey.block, timestamp })
    gas += gasLimitOf(requests, encodeExecute(requests))
  }
  const priceWei = await client.getGasPrice()
  log(
    `${states.length} accounts to move with ${amount(sum(states.map((state) => state.balanceWei)))}, ` +
      `owing ${amount(sum(states.map(countedDebt)))} that is not written off`,
  )
  log(
    `${batchesOf(todo.tasks, batchSize).length} transactions with ${gas} gas at most, ` +
      `${amount(BigInt(gas) * priceWei)} at the node's price`,
  )
  for (const obstacle of await findObstacles(migration, relayer)) log(`not yet: ${obstacle}`)
}

/** Signs all calls of a batch, each under its name in this block. */
export async function signBatch(
  { client, chain, move }: Migration,
  batch: readonly Pick<Task, 'calls'>[],
  block: { number: bigint; timestamp: bigint },
): Promise<SignedRequest[]> {
  const requests: SignedRequest[] = []
  for (const call of batch.flatMap(({ calls }) => calls)) {
    requests.push(await signCall(client, { pair: move.from, chainId: chain.id }, call, block))
  }
  return requests
}

/** Says who is left to itself: outside wallets, and phones whose number is missing. */
export function printOutside(
  { chain, log }: Pick<Migration, 'chain' | 'log'>,
  outside: readonly AccountState[],
): void {
  for (const state of outside) log(`no number given ${describeAccount(state, chain)}`)
  const held = sum(outside.map(({ balanceWei }) => balanceWei))
  log(
    `${outside.length} accounts that no given number fits, ` +
      `with ${formatEther(held)} ${chain.currency}`,
  )
}

/** An address and its amounts. */
export function describeAccount({ address, balanceWei, debt }: AccountState, chain: Chain): string {
  const amount = (wei: bigint) => `${formatEther(wei)} ${chain.currency}`
  if (debt === undefined) return `${address} ${amount(balanceWei)}`
  const due = new Date(Number(debt.dueAt) * 1000).toISOString()
  const loan = `owes ${amount(debt.owedWei)} due ${due}${debt.isWrittenOff ? ', written off' : ''}`
  return `${address} ${amount(balanceWei)}, ${loan}`
}

/** The items in groups, in their order. */
export function batchesOf<Item>(items: readonly Item[], batchSize: number): Item[][] {
  const batches: Item[][] = []
  for (let first = 0; first < items.length; first += batchSize) {
    batches.push(items.slice(first, first + batchSize))
  }
  return batches
}

function byBalance({ state: left }: Task, { state: right }: Task): number {
  if (left.balanceWei === right.balanceWei) return left.address < right.address ? -1 : 1
  return left.balanceWei > right.balanceWei ? -1 : 1
}
