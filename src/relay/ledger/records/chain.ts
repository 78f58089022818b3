import type { StepContext } from '../draft.ts'
import { type FollowedBlock, readMeta, saveMeta } from '../meta.ts'
import {
  addReport,
  dropDeploymentFacts,
  factReadings,
  type ObservationReport,
  type Observations,
} from '../observations.ts'
import type { BlockId } from '../values.ts'

const stateFacts = ['chainNonce', 'reportedNonce', 'gasPriceWei', 'balanceWei'] as const

/** Holds facts that change slowly. One that is missing is unknown or outdated. */
export type AccountState = {
  [Name in (typeof stateFacts)[number]]?: NonNullable<Observations[Name]>['value']
}

export type FactReading = (typeof factReadings)[number]

/** Returns the last known head, and the blocks that were followed up to it, the head first. */
export function readFollowedBlocks(step: StepContext): {
  head: BlockId | undefined
  followedBlocks: readonly FollowedBlock[]
} {
  const saved = readMeta(step.rows, 'head')
  if (saved === undefined) return { head: undefined, followedBlocks: [] }
  const { relayer, below: ancestors = [], count, ...head } = saved
  const { number, hash } = head
  const isFollowed = count !== undefined && relayer === step.relayer
  const followedBlocks = isFollowed ? [{ ...head, count }, ...ancestors] : []
  return { head: { number, hash }, followedBlocks }
}

export function saveFollowedBlocks(
  { rows, relayer }: StepContext,
  [head, ...ancestors]: readonly FollowedBlock[],
): void {
  if (head !== undefined) saveMeta(rows, 'head', { ...head, below: ancestors, relayer })
}

/** Returns what is known of the chain. Facts about another relayer's key are left out. */
export function readObservations(step: StepContext): Observations {
  const saved = readMeta(step.rows, 'observations') ?? readMeta(step.rows, 'sight')
  if (saved === undefined) return {}
  const { relayer, ...observations } = saved
  return relayer === step.relayer ? observations : dropDeploymentFacts(observations)
}

function saveObservations({ rows, relayer }: StepContext, observations: Observations): void {
  if (rows.row('meta', 'observations') === undefined) rows.drop('meta', 'sight')
  saveMeta(rows, 'observations', { ...observations, relayer })
}

export function recordObservations(step: StepContext, report: ObservationReport | undefined): void {
  const { facts = {}, node, round } = report ?? {}
  const isEmpty = Object.keys(facts).length === 0 && (node ?? round) === undefined
  if (report === undefined || isEmpty) return
  saveObservations(step, addReport(readObservations(step), report, step.rows.now))
}

export const forgetDeploymentFacts = (step: StepContext): void =>
  saveObservations(step, dropDeploymentFacts(readObservations(step)))

/** Forgets the known gas price if it is at most a price that a node refused as too low. */
export function forgetGasPrice(step: StepContext, refusedWei: bigint): void {
  const { gasPriceWei, ...others } = readObservations(step)
  if (gasPriceWei !== undefined && gasPriceWei.value <= refusedWei) saveObservations(step, others)
}

/** Returns the facts that are not outdated, and which one is read next. */
export function readAccountState(step: StepContext) {
  const { rows, rules } = step
  const { lastReading, ...known } = readObservations(step)
  const current = stateFacts.flatMap((name) => {
    const fact = known[name]
    // Never expires: it is read again every few blocks, and after a reorganization.
    const isCurrent = name === 'reportedNonce' || rows.now - (fact?.at ?? 0) < rules.accountStateMs
    return fact !== undefined && isCurrent ? [[name, fact.value]] : []
  })
  const lastTurn = lastReading === undefined ? -1 : factReadings.indexOf(lastReading)
  const nextReading: FactReading =
    factReadings[(lastTurn + 1) % factReadings.length] ?? 'reportedNonce'
  return { accountState: Object.fromEntries(current) as AccountState, nextReading }
}

export function saveAccountState(
  step: StepContext,
  accountState: AccountState,
  lastReading: FactReading | undefined,
): void {
  const known = Object.entries(accountState).filter(([, value]) => value !== undefined)
  const facts = Object.fromEntries(known.map(([name, value]) => [name, { value }]))
  const report = { facts, node: undefined, round: undefined }
  const observations = addReport(readObservations(step), report, step.rows.now)
  saveObservations(step, { ...observations, ...(lastReading && { lastReading }) })
}
