import { type Address, formatEther } from 'viem'
import type { Chain } from '../../../src/chain/chains.ts'
import type { SignedRequest } from '../../../src/relay/forwarder/requests.ts'
import { gasFor } from '../../../src/relay/relayer.ts'
import { type Call, type Move, readNeed } from './needs.ts'
import { findObstacles } from './obstacles.ts'
import type { Phone } from './phones.ts'
import type { OpenedDeployment } from './records.ts'
import { signCall } from './requests.ts'
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

/** What accounts need; the largest balance first. */
export type Tasks = {
  tasks: Task[]
  /** Accounts that an operator has to look at, and why. */
  stuck: { address: Address; reason: string }[]
}

/** All that is to be done, as the survey saw it, and what has or owes something and belongs to no given number. */
export type Todo = Tasks & { survey: Survey; outside: AccountState[] }

/** Reads what there is to do. */
export async function findTodo(migration: Migration): Promise<Todo> {
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

/** Reads what the accounts of these phones need in a block. */
export async function readTasks(
  { client, move }: Migration,
  phones: readonly Phone[],
  at: Pick<Survey, 'books' | 'block'>,
): Promise<Tasks> {
  const found: Tasks = { tasks: [], stuck: [] }
  await inTurns(phones, async (phone) => {
    const { state, need } = await readNeed(client, move, phone, at)
    switch (need.kind) {
      case 'nothing':
        return
      case 'calls':
        found.tasks.push({ phone, state, calls: need.calls })
        return
      case 'two_debts': {
        const reason = 'it owes, and so did its heir: it repays first'
        found.stuck.push({ address: state.address, reason })
      }
    }
  })
  found.tasks.sort(byBalance)
  return found
}

/** Prints what a run would do and what that costs at most. Sends nothing. */
export async function printPlan(migration: Migration, relayer: Address | undefined): Promise<void> {
  const { client, chain, log, batchSize } = migration
  const todo = await findTodo(migration)
  const amount = (wei: bigint) => showAmount(wei, chain)
  for (const { state, calls } of todo.tasks) {
    log(`${calls.at(-1)?.name} ${describeAccount(state, chain)}`)
  }
  for (const { address, reason } of todo.stuck) log(`stuck ${address}: ${reason}`)
  printOutside(migration, todo.outside)
  const states = todo.tasks.map(({ state }) => state)
  const batches = batchesOf(todo.tasks, batchSize)
  const gas = batches.reduce((sum, tasks) => sum + gasFor(tasks.flatMap(({ calls }) => calls)), 0)
  const priceWei = await client.getGasPrice()
  log(
    `${states.length} accounts to move with ${amount(sum(states.map((state) => state.balanceWei)))}, ` +
      `owing ${amount(sum(states.map(countedDebt)))} that is not written off`,
  )
  log(
    `${batches.length} transactions with ${gas} gas at most, ` +
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
  const held = showAmount(sum(outside.map(({ balanceWei }) => balanceWei)), chain)
  log(`${outside.length} accounts that no given number fits, with ${held}`)
}

/** An amount with its currency. */
export function showAmount(wei: bigint, { currency }: Chain): string {
  return `${formatEther(wei)} ${currency}`
}

/** An address and its amounts. */
export function describeAccount({ address, balanceWei, debt }: AccountState, chain: Chain): string {
  const balance = showAmount(balanceWei, chain)
  if (debt === undefined) return `${address} ${balance}`
  const owed = showAmount(debt.owedWei, chain)
  const due = new Date(Number(debt.dueAt) * 1000).toISOString()
  return `${address} ${balance}, owes ${owed} due ${due}${debt.isWrittenOff ? ', written off' : ''}`
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
