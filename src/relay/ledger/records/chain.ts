import type { Draft, StepContext } from '../draft.ts'
import {
  type ObservationReport,
  type Observations,
  ofAnyDeployment,
  storedObservations,
  turns,
  withSeen,
} from '../observations.ts'
import type { BlockId, FollowedBlock, Means, Turn, Work } from '../port.ts'

/** Names the key that a record belongs to: with another key it counts as unknown. */
type OfKey = { relayer?: string }

const isOfRelayer = ({ relayer }: StepContext, saved: OfKey): boolean => saved.relayer === relayer

/** Returns the last known head, and the blocks that were followed up to it. */
export function readFollowedBlocks(at: StepContext): Pick<Work, 'head' | 'followedBlocks'> {
  const known = at.rows.row('meta', 'head')
  if (known === undefined) return { head: undefined, followedBlocks: [] }
  // A restore saves the head alone.
  type SavedHead = OfKey & BlockId & Partial<FollowedBlock> & { below?: FollowedBlock[] }
  const saved = JSON.parse(known.value) as SavedHead
  const { relayer: _, below = [], count, ...head } = saved
  const { number, hash } = head
  const isFollowed = count !== undefined && isOfRelayer(at, saved)
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
export function readObservations(at: StepContext): Observations {
  const row = at.rows.row('meta', 'sight')
  if (row === undefined) return {}
  const saved = JSON.parse(row.value)
  const known = storedObservations.safeParse(saved).data ?? {}
  return isOfRelayer(at, saved) ? known : ofAnyDeployment(known)
}

function saveObservations({ rows, relayer }: StepContext, known: Observations): void {
  rows.put('meta', { name: 'sight', value: JSON.stringify({ ...known, relayer }) })
}

export function recordObservations(at: StepContext, seen: ObservationReport | undefined): void {
  const { facts = {}, node, round } = seen ?? {}
  const isNews = Object.keys(facts).length > 0 || (node ?? round) !== undefined
  if (seen !== undefined && isNews)
    saveObservations(at, withSeen(readObservations(at), seen, at.rows.now))
}

/** Forgets facts about one deployment's contracts or key. */
export const forgetSeen = (at: StepContext): void =>
  saveObservations(at, ofAnyDeployment(readObservations(at)))

/** Forgets the known gas price if the node refuses this much as too low. */
export function forgetGasPrice(at: StepContext, refusedWei: bigint): void {
  const { gasPrice, ...others } = readObservations(at)
  if (gasPrice !== undefined && BigInt(gasPrice.wei) <= refusedWei) saveObservations(at, others)
}

/** Returns the facts that are fresh enough, and which one is read next. */
export function readMeans(at: StepContext): Pick<Work, 'means' | 'nextMeans'> {
  const { rows, rules } = at
  const { asked, ...known } = readObservations(at)
  const fresh = <Fact extends { at: number }>(fact: Fact | undefined) =>
    fact !== undefined && rows.now - fact.at < rules.meansMs ? fact : undefined
  const [count, gasPrice, funds] = [fresh(known.count), fresh(known.gasPrice), fresh(known.funds)]
  const means: Means = {
    ...(count && { count: count.number }),
    // Read again every few rounds: until then the last count is good.
    ...(known.toldCount && { toldCount: known.toldCount.number }),
    ...(gasPrice && { gasPriceWei: BigInt(gasPrice.wei) }),
    ...(funds && { balanceWei: BigInt(funds.wei) }),
  }
  const last = asked === undefined ? -1 : turns.indexOf(asked)
  return { means, nextMeans: turns[(last + 1) % turns.length] ?? 'toldCount' }
}

export function saveMeans(at: StepContext, means: Means, asked: Turn | undefined): void {
  const { count, toldCount, gasPriceWei, balanceWei } = means
  const facts: ObservationReport['facts'] = {
    ...(count !== undefined && { count: { number: count } }),
    ...(toldCount !== undefined && { toldCount: { number: toldCount } }),
    ...(gasPriceWei !== undefined && { gasPrice: { wei: `${gasPriceWei}` } }),
    ...(balanceWei !== undefined && { funds: { wei: `${balanceWei}` } }),
  }
  const known = withSeen(
    readObservations(at),
    { facts, node: undefined, round: undefined },
    at.rows.now,
  )
  saveObservations(at, { ...known, ...(asked && { asked }) })
}
