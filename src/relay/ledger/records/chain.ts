import type { Hex } from 'viem'
import type { StepContext } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import {
  addReport,
  dropDeploymentFacts,
  type ObservationReport,
  type Observations,
  readingTurns,
  storedReadings,
} from '../observations.ts'
import type { BlockId } from '../values.ts'

/** Holds a followed block. Up to it, blocks hold our transactions of all nonces below `count`. */
export type FollowedBlock = BlockId & {
  count: number
  /** Unix time in seconds. */
  timestampSeconds?: number | undefined
  /** Gives the used share of its gas, from 0 to 1. */
  fullness?: number | undefined
  /** Counts the hashes that mined it; undefined if that is not proved or not needed. */
  difficulty?: Hex | undefined
  /** Counts the fewest hashes for which a block on top of it is believed. */
  floor?: Hex | undefined
}

/** Holds facts that change slowly. One that is missing is unknown or outdated. */
export type AccountState = {
  /** Is the relayer's next nonce after the blocks that rounds have followed. */
  chainNonce?: number
  /** Is the next nonce as a node last reported it, because others may have used the key. */
  reportedNonce?: number
  gasPriceWei?: bigint
  /** Gives the balance of the relayer's key. */
  balanceWei?: bigint
}

/** Names a fact that rounds read in turn. */
export type FactReading = (typeof readingTurns)[number]

const observationsRow = 'sight'

/** Names the relayer that saved a record. Another relayer ignores what is about that key. */
type SavedByRelayer = { relayer?: string | undefined }

const isOfRelayer = ({ relayer }: StepContext, saved: SavedByRelayer): boolean =>
  saved.relayer === relayer

/** Returns the last known head, and the blocks that were followed up to it. */
export function readFollowedBlocks(step: StepContext): {
  head: BlockId | undefined
  followedBlocks: readonly FollowedBlock[]
} {
  const saved = readMeta(step.rows, 'head')
  if (saved === undefined) return { head: undefined, followedBlocks: [] }
  const { relayer: _, below: ancestors = [], count, ...head } = saved
  const { number, hash } = head
  const isFollowed = count !== undefined && isOfRelayer(step, saved)
  return {
    head: { number, hash },
    followedBlocks: isFollowed ? [{ ...head, count }, ...ancestors] : [],
  }
}

export function saveFollowedBlocks(
  { rows, relayer }: StepContext,
  [head, ...ancestors]: readonly FollowedBlock[],
): void {
  saveMeta(rows, 'head', { ...head, below: ancestors, relayer })
}

/** Returns what is known of the chain. Facts about another relayer's key are left out. */
export function readObservations(step: StepContext): Observations {
  const saved = readMeta(step.rows, observationsRow)
  if (saved === undefined) return {}
  const { relayer: _, ...observations } = saved
  return isOfRelayer(step, saved) ? observations : dropDeploymentFacts(observations)
}

function saveObservations({ rows, relayer }: StepContext, observations: Observations): void {
  saveMeta(rows, observationsRow, { ...observations, relayer })
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
  const { gasPrice, ...others } = readObservations(step)
  if (gasPrice !== undefined && BigInt(gasPrice.wei) <= refusedWei) saveObservations(step, others)
}

/** Returns the facts that are not outdated, and which one is read next. */
export function readAccountState(step: StepContext): {
  accountState: AccountState
  nextReading: FactReading
} {
  const { rows, rules } = step
  const { asked: lastReading, ...known } = readObservations(step)
  const dropOutdated = <Fact extends { at: number }>(fact: Fact | undefined) =>
    fact !== undefined && rows.now - fact.at < rules.accountStateMs ? fact : undefined
  const chainNonce = dropOutdated(known.count)?.number
  // The reported nonce never expires: it is read again every few blocks and after a reorganization.
  const reportedNonce = known.toldCount?.number
  const gasPriceWei = dropOutdated(known.gasPrice)?.wei
  const balanceWei = dropOutdated(known.funds)?.wei
  const accountState: AccountState = {
    ...(chainNonce !== undefined && { chainNonce }),
    ...(reportedNonce !== undefined && { reportedNonce }),
    ...(gasPriceWei && { gasPriceWei: BigInt(gasPriceWei) }),
    ...(balanceWei && { balanceWei: BigInt(balanceWei) }),
  }
  const lastTurn = lastReading === undefined ? -1 : storedReadings.indexOf(lastReading)
  const nextReading = readingTurns[(lastTurn + 1) % readingTurns.length] ?? 'reportedNonce'
  return { accountState, nextReading }
}

export function saveAccountState(
  step: StepContext,
  accountState: AccountState,
  reading: FactReading | undefined,
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
  const asked = reading && storedReadings[readingTurns.indexOf(reading)]
  saveObservations(step, { ...observations, ...(asked && { asked }) })
}
