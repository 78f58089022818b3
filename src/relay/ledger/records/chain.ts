import type { Draft, StepContext } from '../draft.ts'
import {
  dropDeploymentFacts,
  type ObservationReport,
  type Observations,
  storedObservations,
  turns,
  withSeen,
} from '../observations.ts'
import type { AccountState, BlockId, FollowedBlock, Reading, Work } from '../port.ts'

/** Names the key that a record belongs to: with another key it counts as unknown. */
type OfKey = { relayer?: string }

const isOfRelayer = ({ relayer }: StepContext, saved: OfKey): boolean => saved.relayer === relayer

/** Returns the last known head, and the blocks that were followed up to it. */
export function readFollowedBlocks(step: StepContext): Pick<Work, 'head' | 'followedBlocks'> {
  const known = step.rows.row('meta', 'head')
  if (known === undefined) return { head: undefined, followedBlocks: [] }
  // A restore saves only the head.
  type SavedHead = OfKey & BlockId & Partial<FollowedBlock> & { below?: FollowedBlock[] }
  const saved = JSON.parse(known.value) as SavedHead
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

/** Returns what is known of the chain; under another key, only what does not depend on a key. */
export function readObservations(step: StepContext): Observations {
  const row = step.rows.row('meta', 'sight')
  if (row === undefined) return {}
  const saved = JSON.parse(row.value)
  const known = storedObservations.safeParse(saved).data ?? {}
  return isOfRelayer(step, saved) ? known : dropDeploymentFacts(known)
}

function saveObservations({ rows, relayer }: StepContext, known: Observations): void {
  rows.put('meta', { name: 'sight', value: JSON.stringify({ ...known, relayer }) })
}

export function recordObservations(step: StepContext, seen: ObservationReport | undefined): void {
  const { facts = {}, node, round } = seen ?? {}
  const isNews = Object.keys(facts).length > 0 || (node ?? round) !== undefined
  if (seen !== undefined && isNews)
    saveObservations(step, withSeen(readObservations(step), seen, step.rows.now))
}

/** Forgets facts about one deployment's contracts or key. */
export const forgetSeen = (step: StepContext): void =>
  saveObservations(step, dropDeploymentFacts(readObservations(step)))

/** Forgets the known gas price if the node refuses this much as too low. */
export function forgetGasPrice(step: StepContext, refusedWei: bigint): void {
  const { gasPrice, ...others } = readObservations(step)
  if (gasPrice !== undefined && BigInt(gasPrice.wei) <= refusedWei) saveObservations(step, others)
}

/** Returns the facts that are fresh enough, and which one is read next. */
export function readAccountState(step: StepContext): Pick<Work, 'accountState' | 'nextReading'> {
  const { rows, rules } = step
  const { asked, ...known } = readObservations(step)
  const fresh = <Fact extends { at: number }>(fact: Fact | undefined) =>
    fact !== undefined && rows.now - fact.at < rules.accountStateMs ? fact : undefined
  const [count, gasPrice, funds] = [fresh(known.count), fresh(known.gasPrice), fresh(known.funds)]
  const accountState: AccountState = {
    ...(count && { chainNonce: count.number }),
    // Read again every few rounds: until then the last count is good.
    ...(known.toldCount && { reportedNonce: known.toldCount.number }),
    ...(gasPrice && { gasPriceWei: BigInt(gasPrice.wei) }),
    ...(funds && { balanceWei: BigInt(funds.wei) }),
  }
  const last = asked === undefined ? -1 : turns.indexOf(asked)
  return { accountState, nextReading: turns[(last + 1) % turns.length] ?? 'toldCount' }
}

export function saveAccountState(
  step: StepContext,
  accountState: AccountState,
  asked: Reading | undefined,
): void {
  const { chainNonce: count, reportedNonce: toldCount, gasPriceWei, balanceWei } = accountState
  const facts: ObservationReport['facts'] = {
    ...(count !== undefined && { count: { number: count } }),
    ...(toldCount !== undefined && { toldCount: { number: toldCount } }),
    ...(gasPriceWei !== undefined && { gasPrice: { wei: `${gasPriceWei}` } }),
    ...(balanceWei !== undefined && { funds: { wei: `${balanceWei}` } }),
  }
  const known = withSeen(
    readObservations(step),
    { facts, node: undefined, round: undefined },
    step.rows.now,
  )
  saveObservations(step, { ...known, ...(asked && { asked }) })
}
