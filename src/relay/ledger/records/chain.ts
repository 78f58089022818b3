import type { At, Draft } from '../draft.ts'
import {
  type Observations,
  ofAnyDeployment,
  type Seen,
  sight,
  turns,
  withSeen,
} from '../observations.ts'
import type { BlockId, FollowedBlock, Means, Turn, Work } from '../port.ts'

/** Names the key that a record belongs to: with another key it counts as unknown. */
type OfKey = { relayer?: string }

const isOfRelayer = ({ relayer }: At, noted: OfKey): boolean => noted.relayer === relayer

/** Returns the last known head, and the blocks that were followed up to it. */
export function readFollowedBlocks(at: At): Pick<Work, 'head' | 'followedBlocks'> {
  const known = at.rows.row('meta', 'head')
  if (known === undefined) return { head: undefined, followedBlocks: [] }
  // A restore saves the head alone.
  type Noted = OfKey & BlockId & Partial<FollowedBlock> & { below?: FollowedBlock[] }
  const noted = JSON.parse(known.value) as Noted
  const { relayer: _, below = [], count, ...head } = noted
  const { number, hash } = head
  const isFollowed = count !== undefined && isOfRelayer(at, noted)
  return {
    head: { number, hash },
    followedBlocks: isFollowed ? [{ ...head, count }, ...below] : [],
  }
}

export function saveFollowedBlocks(
  { rows, relayer }: At,
  [head, ...below]: readonly FollowedBlock[],
): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ ...head, below, relayer }) })
}

/** Saves the head without followed blocks. */
export function saveHead(rows: Draft, { number, hash }: { number: number; hash: string }): void {
  rows.put('meta', { name: 'head', value: JSON.stringify({ number, hash }) })
}

/** Returns what is known of the chain; under another key, only what does not depend on a key. */
export function readObservations(at: At): Observations {
  const row = at.rows.row('meta', 'sight')
  if (row === undefined) return {}
  const noted = JSON.parse(row.value)
  const known = sight.safeParse(noted).data ?? {}
  return isOfRelayer(at, noted) ? known : ofAnyDeployment(known)
}

function saveSight({ rows, relayer }: At, known: Observations): void {
  rows.put('meta', { name: 'sight', value: JSON.stringify({ ...known, relayer }) })
}

export function recordObservations(at: At, seen: Seen | undefined): void {
  const { facts = {}, node, round } = seen ?? {}
  const isNews = Object.keys(facts).length > 0 || (node ?? round) !== undefined
  if (seen !== undefined && isNews) saveSight(at, withSeen(readObservations(at), seen, at.rows.now))
}

/** Forgets facts about one deployment's contracts or key. */
export const forgetSeen = (at: At): void => saveSight(at, ofAnyDeployment(readObservations(at)))

/** Forgets the known gas price if the node refuses this much as too low. */
export function forgetGasPrice(at: At, refusedWei: bigint): void {
  const { gasPrice, ...others } = readObservations(at)
  if (gasPrice !== undefined && BigInt(gasPrice.wei) <= refusedWei) saveSight(at, others)
}

/** Returns the facts that are fresh enough, and which one is read next. */
export function readMeans(at: At): Pick<Work, 'means' | 'nextMeans'> {
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

export function saveMeans(at: At, means: Means, asked: Turn | undefined): void {
  const { count, toldCount, gasPriceWei, balanceWei } = means
  const facts: Seen['facts'] = {
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
  saveSight(at, { ...known, ...(asked && { asked }) })
}
