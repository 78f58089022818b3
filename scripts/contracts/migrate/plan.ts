import { isAddressEqual, type PublicClient } from 'viem'
import type { Unit } from '../../../src/loan/amounts.ts'
import { sumGas } from '../../../src/relay/relayer.ts'
import { priceObstacle } from '../../stack/chain/node.ts'
import { money, writeAmount } from '../../stack/report.ts'
import { type Holding, totalsOf } from '../loan-books.ts'
import { forwarderAt, loanAt } from '../reads.ts'
import type { Pair } from './open.ts'
import { type AccountState, findTodo, type Migration } from './survey.ts'

/** Prints what a run would do and what that costs at most. Sends nothing. */
export async function printPlan(migration: Migration): Promise<void> {
  const { client, chain, unit, log, batchSize } = migration
  const { tasks, stuck, outside } = await findTodo(migration)
  for (const { state, calls } of tasks) {
    log(`${calls.at(-1)?.name} ${describeAccount(state, unit)}`)
  }
  for (const { address, reason } of stuck) log(`stuck ${address}: ${reason}`)
  printOutside(migration, outside)
  const states = tasks.map(({ state }) => state)
  const batches = batchesOf(tasks, batchSize)
  const gas = batches.reduce((all, batch) => all + sumGas(batch.flatMap(({ calls }) => calls)), 0)
  const cost = money(BigInt(gas) * (await client.getGasPrice()), chain.currency)
  log(`${states.length} accounts to move with ${sumUp(states, unit)} that is not written off`)
  log(`${batches.length} transactions with ${gas} gas at most, ${cost} at the node's price`)
  for (const obstacle of await findObstacles(migration)) log(`not yet: ${obstacle}`)
}

/** Says who is left to itself: outside wallets, and phones whose number is missing. */
export function printOutside({ unit, log }: Migration, outside: readonly AccountState[]): void {
  for (const state of outside) log(`no number given ${describeAccount(state, unit)}`)
  const held = writeAmount(totalsOf(outside).balancesWei, unit)
  log(`${outside.length} accounts that no given number fits, with ${held}`)
}

/** Says what accounts have together, and what they owe that counts. */
export function sumUp(states: Iterable<Holding>, unit: Unit): string {
  const { balancesWei, owedWei } = totalsOf(states)
  return `${writeAmount(balancesWei, unit)}, owing ${writeAmount(owedWei, unit)}`
}

export function describeAccount(state: AccountState, unit: Unit): string {
  const { address, balanceWei, owedWei, dueAt, isWrittenOff } = state
  const balance = `${address} ${writeAmount(balanceWei, unit)}`
  if (owedWei === 0n) return balance
  const due = new Date(Number(dueAt) * 1000).toISOString()
  return `${balance}, owes ${writeAmount(owedWei, unit)} due ${due}${isWrittenOff ? ', written off' : ''}`
}

export function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

export async function findObstacles(migration: Migration): Promise<string[]> {
  const { client, pair, to, isServed, fees, relayer } = migration
  const forwarder = forwarderAt(client, pair.forwarder)
  const isUnpaused = !isServed && !(await loanAt(client, pair.loan).paused())
  const payer = relayer?.signer.address
  const isStranger = payer !== undefined && !(await forwarder.isRelayer([payer]))
  const found = [
    ...(await findPairObstacles(client, pair)),
    isUnpaused && 'the loan contract is not paused: its guardian calls pause()',
    (await forwarder.paused()) && 'the forwarder is paused: its owner calls unpause()',
    isStranger && `${payer} is no relayer: setRelayer(${payer}, true)`,
    priceObstacle(fees.maxWei, await client.getGasPrice()),
    ...(to === undefined ? [] : await findPairObstacles(client, to)),
    to !== undefined && (await findMoveObstacle(client, pair, to)),
  ]
  return found.filter((words) => typeof words === 'string')
}

/** Finds contracts of a record that do not belong together, since no caller would reach them. */
async function findPairObstacles(client: PublicClient, { loan, forwarder }: Pair) {
  const isTrusted = await loanAt(client, loan).isTrustedForwarder([forwarder])
  const target = await forwarderAt(client, forwarder).target()
  return [
    !isTrusted && `${loan} does not trust the forwarder of its record`,
    !isAddressEqual(target, loan) && `the forwarder of its record does not call ${loan}`,
  ]
}

async function findMoveObstacle(client: PublicClient, { loan }: Pair, to: Pair) {
  const [successor, openFrom] = await loanAt(client, loan).successor()
  if (successor !== to.loan) {
    return `the successor is ${successor}: the owner calls announceSuccessor(${to.loan})`
  }
  const { timestamp } = await client.getBlock()
  const when = new Date(Number(openFrom) * 1000).toISOString()
  return timestamp < openFrom && `accounts move from ${when} on`
}
