import type { Draft, StepContext } from '../draft.ts'
import {
  addReport,
  dropDeploymentFacts,
  type ObservationReport,
  type Observations,
  readingTurns,
  storedObservations,
} from '../observations.ts'
import type { AccountState, BlockId, FactReading, FollowedBlock, Work } from '../port.ts'

/** Names the relayer that saved a record: to another one it counts as unknown. */
type KeyBound = { relayer?: string }

const isOfRelayer = ({ relayer }: StepContext, saved: KeyBound): boolean =>
  saved.relayer === relayer

/** Returns the last known head, and the blocks that were followed up to it. */
export function readFollowedBlocks(step: StepContext): Pick<Work, 'head' | 'followedBlocks'> {
  const stored = step.rows.row('meta', 'head')
  if (stored === undefined) return { head: undefined, followedBlocks: [] }
  // A restore saves only the head.
  type SavedHead = KeyBound & BlockId & Partial<FollowedBlock> & { below?: FollowedBlock[] }
  const saved = JSON.parse(stored.value) as SavedHead
  const { relayer: _, below = [], count, ...head } = saved
  const { number, hash } = head
  const isFollowed = count !== undefined && isOfRelayer(step, saved)
  return {
    head: { number, hash },
    followedBlocks: isFollowed ? [{ ...head, count }, ...below] : [],
  }
}

export function saveFollowedBlocks(
  { rows, relayer }: StepContext,
  [head, ...below]: readonly FollowedBlock[],
): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ ...head, below, relayer }) })
}

/** Saves the head without followed blocks. */
export function saveHead(rows: Draft, { number, hash }: { number: number; hash: string }): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ number, hash }) })
}

/** Returns what is known of the chain. Facts about another relayer's key are left out. */
export function readObservations(step: StepContext): Observations {
  const row = step.rows.row('meta', 'sight')
  if (row === undefined) return {}
  const saved = JSON.parse(row.value)
  const observations = storedObservations.safeParse(saved).data ?? {}
  return isOfRelayer(step, saved) ? observations : dropDeploymentFacts(observations)
}

function saveObservations({ rows, relayer }: StepContext, observations: Observations): void {
  rows.put('meta', { name: 'sight', value: JSON.stringify({ ...observations, relayer }) })
}

export function recordObservations(step: StepContext, report: ObservationReport | undefined): void {
  const { facts = {}, node, round } = report ?? {}
  const isEmpty = Object.keys(facts).length === 0 && (node ?? round) === undefined
  if (report === undefined || isEmpty) return
  saveObservations(step, addReport(readObservations(step), report, step.rows.now))
}

/** Forgets facts about one deployment's contracts or key. */
export const forgetDeploymentFacts = (step: StepContext): void =>
  saveObservations(step, dropDeploymentFacts(readObservations(step)))

/** Forgets the known gas price if it is at most a price that a node refused as too low. */
export function forgetGasPrice(step: StepContext, refusedWei: bigint): void {
  const { gasPrice, ...others } = readObservations(step)
  if (gasPrice !== undefined && BigInt(gasPrice.wei) <= refusedWei) saveObservations(step, others)
}

/** Returns the facts that are not outdated, and which one is read next. */
export function readAccountState(step: StepContext): Pick<Work, 'accountState' | 'nextReading'> {
  const { rows, rules } = step
  const { asked, ...known } = readObservations(step)
  const dropOutdated = <Fact extends { at: number }>(fact: Fact | undefined) =>
    fact !== undefined && rows.now - fact.at < rules.accountStateMs ? fact : undefined
  const [count, gasPrice] = [dropOutdated(known.count), dropOutdated(known.gasPrice)]
  const funds = dropOutdated(known.funds)
  const accountState: AccountState = {
    ...(count && { chainNonce: count.number }),
    // Has no age limit: rounds read it again every few blocks, and after a reorganization.
    ...(known.toldCount && { reportedNonce: known.toldCount.number }),
    ...(gasPrice && { gasPriceWei: BigInt(gasPrice.wei) }),
    ...(funds && { balanceWei: BigInt(funds.wei) }),
  }
  const lastTurn = asked === undefined ? -1 : readingTurns.indexOf(asked)
  return {
    accountState,
    nextReading: readingTurns[(lastTurn + 1) % readingTurns.length] ?? 'toldCount',
  }
}

export function saveAccountState(
  step: StepContext,
  accountState: AccountState,
  asked: FactReading | undefined,
): void {
  const { chainNonce, reportedNonce, gasPriceWei, balanceWei } = accountState
  const facts: ObservationReport['facts'] = {
    ...(chainNonce !== undefined && { count: { number: chainNonce } }),
    ...(reportedNonce !== undefined && { toldCount: { number: reportedNonce } }),
    ...(gasPriceWei !== undefined && { gasPrice: { wei: `${gasPriceWei}` } }),
    ...(balanceWei !== undefined && { funds: { wei: `${balanceWei}` } }),
  }
  const observations = addReport(
    readObservations(step),
    { facts, node: undefined, round: undefined },
    step.rows.now,
  )
  saveObservations(step, { ...observations, ...(asked && { asked }) })
}
