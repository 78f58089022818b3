import { type Address, decodeErrorResult } from 'viem'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import type { RequestResult } from '../../../src/relay/forwarder/requests.ts'
import { tryTo } from '../../../src/runtime/log.ts'
import { sleep } from '../../dev/wait.ts'
import { Misused, StackError } from '../../stack/report.ts'
import type { LoanBooks } from '../loan-books.ts'
import type { Relayer } from './open.ts'
import { batchesOf, describeAccount, findObstacles, printOutside } from './plan.ts'
import { preflight, sendBatch, signCall } from './relayer.ts'
import {
  type AccountState,
  findTodo,
  findUnsettled,
  type Migration,
  readTasks,
  type Task,
} from './survey.ts'

/** Limits how often a run tries an account whose calls succeed before, and fail in their block. */
const maxTries = 3

type Run = {
  migration: Migration
  relayer: Relayer
  stuck: Map<Address, string>
  /** Accounts whose calls were sent so many times, and that were not seen to have moved. */
  sent: Map<Address, { state: AccountState; times: number }>
}

/** Moves all that a new survey finds to move. @throws {StackError} before anything is sent */
export async function moveAccounts(migration: Migration) {
  const { log, unit, batchSize, relayer } = migration
  if (relayer === undefined) throw new Misused('RELAYER_KEY or RELAYER_MNEMONIC is not set.')
  const obstacles = await findObstacles(migration)
  if (obstacles.length > 0) {
    throw new StackError(`nothing was sent:${obstacles.map((each) => `\n- ${each}`).join('')}`)
  }
  const run: Run = { migration, relayer, stuck: new Map(), sent: new Map() }
  const { stuck, sent } = run
  const moved = new Set<Address>()
  let toldWaiting = 0
  for (;;) {
    const todo = await findTodo(migration)
    for (const { address, reason } of todo.stuck) stuck.set(address, reason)
    const states = [...todo.tasks.map(({ state }) => state), ...todo.stuck]
    const open = new Set(states.map(({ address }) => address))
    for (const [address, { state, times }] of sent) {
      if (!open.has(address)) {
        sent.delete(address)
        moved.add(address)
        log(`moved ${describeAccount(state, unit)}`)
      } else if (times >= maxTries) stuck.set(address, `not moved by ${times} transactions`)
    }
    const tasks = todo.tasks.filter(({ state }) => !stuck.has(state.address))
    if (tasks.length === 0) {
      // A run beside this one may have done what this one could not.
      const left = [...stuck].filter(([address]) => open.has(address))
      for (const [address, reason] of left) log(`stuck ${address}: ${reason}`)
      printOutside(migration, todo.outside)
      return { moved: [...moved], stuck: left.map(([address, reason]) => ({ address, reason })) }
    }
    let waiting = 0
    for (const batch of batchesOf(tasks, batchSize)) {
      waiting += await moveBatch(run, batch, todo.survey.books)
    }
    if (waiting > 0 && waiting !== toldWaiting) {
      log(`${waiting} accounts wait until their last payments are final`)
      toldWaiting = waiting
    }
    if (waiting === tasks.length) await sleep(relayer.rules.roundMs)
  }
}

/**
 * Sends the calls of a batch that the newest block would execute, since others only cost gas.
 * Returns how many accounts have to wait, since a payment of theirs is not final.
 */
async function moveBatch(run: Run, batch: readonly Task[], books: LoanBooks): Promise<number> {
  const { migration, relayer, stuck, sent } = run
  const block = await migration.client.getBlock()
  // What a caller was told is final would fail in another block, behind the move.
  const unsettled = await findUnsettled(relayer, block.number)
  const settled = batch.filter(({ state }) => !unsettled.has(state.address))
  const waiting = batch.length - settled.length
  const phones = settled.map(({ phone }) => phone)
  const { tasks } = await readTasks(migration, phones, { books, block: block.number })
  const calls = tasks.flatMap(({ calls }) => calls)
  const { loan } = migration.pair
  const signed = await Promise.all(calls.map((call) => signCall(relayer, call, { loan, block })))
  const results = signed.length === 0 ? [] : await preflight(relayer, signed)
  const ready = tasks.flatMap(({ state, calls }) => {
    const requests = signed.splice(0, calls.length)
    const own = results.splice(0, calls.length)
    const refusal = own.find(({ status }) => status !== 'executed')
    if (refusal === undefined) return [{ state, requests }]
    // Spent by a run beside this one, in the block after: the next look finds nothing left to do.
    if (refusal.status !== 'already_spent') stuck.set(state.address, reasonOf(refusal))
    return []
  })
  if (ready.length === 0) return waiting
  const requests = ready.flatMap((one) => one.requests)
  await sendBatch(relayer, requests)
  for (const { state } of ready) {
    sent.set(state.address, { state, times: (sent.get(state.address)?.times ?? 0) + 1 })
  }
  migration.log(`sent ${ready.length} accounts in a transaction`)
  return waiting
}

function reasonOf({ status, returnData }: RequestResult): string {
  if (status !== 'failed') return `the forwarder: ${status}`
  const known = tryTo(() => decodeErrorResult({ abi: microLoanAbi, data: returnData }).errorName)
  // Foreign or empty data: the call ran out of gas, or a contract of another version answered.
  return `refused with ${known ?? returnData}`
}
