import { type Address, decodeErrorResult, type Hex } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import type { RequestResult, SignedRequest } from '../../../src/relay/forwarder/requests.ts'
import { StackError } from '../../stack/report.ts'
import type { LoanBooks } from '../loan-books.ts'
import type { AccountState } from './accounts.ts'
import { findObstacles } from './obstacles.ts'
import {
  batchesOf,
  describeAccount,
  findTodo,
  type Migration,
  printOutside,
  readTasks,
  type Task,
} from './plan.ts'
import { createRelayer, preflight, type Relayer, sendBatch, signCall } from './relayer.ts'

/** How often a run tries an account whose calls go through before they are sent, and fail in their block. */
const maxTries = 3

type Run = {
  migration: Migration
  relayer: Relayer
  moved: Set<Address>
  stuck: Map<Address, string>
  /** Accounts whose calls were sent so many times, and that were not seen to have moved. */
  sent: Map<Address, { state: AccountState; times: number }>
}

/** Moves all that a new look at the chain finds to move. @throws {StackError} before anything is sent */
export async function moveAccounts(migration: Migration) {
  const relayer = createRelayer(migration)
  const obstacles = await findObstacles(migration)
  if (obstacles.length > 0) {
    throw new StackError(`nothing was sent:${obstacles.map((each) => `\n- ${each}`).join('')}`)
  }
  const run: Run = { migration, relayer, moved: new Set(), stuck: new Map(), sent: new Map() }
  const { stuck, sent, moved } = run
  for (;;) {
    const todo = await findTodo(migration)
    for (const { address, reason } of todo.stuck) stuck.set(address, reason)
    const states = [...todo.tasks.map(({ state }) => state), ...todo.stuck]
    const open = new Set(states.map(({ address }) => address))
    // A node may count a transaction before it names the block: what that moved is first missed here.
    for (const [address, { state }] of sent) if (!open.has(address)) noteMoved(run, state)
    const tasks = todo.tasks.filter(({ state }) => !stuck.has(state.address))
    if (tasks.length === 0) {
      // A run beside this one may have done what this one could not.
      const left = [...stuck].filter(([address]) => open.has(address))
      for (const [address, reason] of left) migration.log(`stuck ${address}: ${reason}`)
      printOutside(migration, todo.outside)
      return { moved: [...moved], stuck: left.map(([address, reason]) => ({ address, reason })) }
    }
    for (const batch of batchesOf(tasks, migration.batchSize)) {
      await moveBatch(run, batch, todo.survey.books)
    }
  }
}

async function moveBatch(run: Run, batch: readonly Task[], books: LoanBooks): Promise<void> {
  const { migration, relayer, stuck, sent } = run
  const { client } = migration
  const phones = batch.map(({ phone }) => phone)
  const block = await client.getBlock()
  const before = await readTasks(migration, phones, { books, block: block.number })
  const { ready, requests } = await dropRefused(run, before.tasks, block)
  if (requests.length === 0) return
  await sendBatch(relayer, requests)
  const now = await client.getBlockNumber({ cacheTime: 0 })
  const after = await readTasks(migration, phones, { books, block: now })
  const left = new Set(after.tasks.map(({ state }) => state.address))
  for (const { state } of ready) {
    const times = (sent.get(state.address)?.times ?? 0) + 1
    if (!left.has(state.address)) noteMoved(run, state)
    else sent.set(state.address, { state, times })
    const isLost = left.has(state.address) && times >= maxTries
    if (isLost) stuck.set(state.address, `not moved by ${times} transactions`)
  }
}

function noteMoved({ migration, sent, moved }: Run, state: AccountState): void {
  sent.delete(state.address)
  moved.add(state.address)
  migration.log(`moved ${describeAccount(state, migration.chain)}`)
}

/** Leaves out what the newest block would not execute: sent, it would cost gas and spend its name. */
async function dropRefused(
  { migration, relayer, stuck }: Run,
  tasks: readonly Task[],
  block: { number: bigint; timestamp: bigint },
): Promise<{ ready: Task[]; requests: SignedRequest[] }> {
  const { loan } = migration.move.from
  let ready = [...tasks]
  for (;;) {
    const requests: SignedRequest[] = []
    for (const call of ready.flatMap(({ calls }) => calls)) {
      requests.push(await signCall(relayer, call, { loan, block }))
    }
    if (requests.length === 0) return { ready, requests }
    const results = await preflight(relayer, requests)
    const refused = new Set<Task>()
    for (const task of ready) {
      const own = results.splice(0, task.calls.length)
      const refusal = own.find(({ status }) => status !== 'executed')
      if (refusal === undefined) continue
      refused.add(task)
      // Spent by a run beside this one, in the block after: the next look finds nothing left to do.
      if (refusal.status !== 'already_spent') stuck.set(task.state.address, reasonOf(refusal))
    }
    if (refused.size === 0) return { ready, requests }
    ready = ready.filter((task) => !refused.has(task))
  }
}

function reasonOf({ status, returnData }: RequestResult): string {
  return status === 'failed'
    ? `refused with ${errorNameOf(returnData)}`
    : `the forwarder: ${status}`
}

function errorNameOf(data: Hex): string {
  try {
    return decodeErrorResult({ abi: microLoanAbi, data }).errorName
  } catch {
    // Foreign or empty data: the call ran out of gas, or a contract of another version answered.
    return data
  }
}
