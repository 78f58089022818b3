import type { Hex } from 'viem'
import { requestLifetimeSeconds } from '../../../../src/relay/relayer.ts'
import type { History } from '../history.ts'
import { Status } from '../model/contracts.ts'
import type { Item } from '../plan.ts'

export const lifetimeMs = requestLifetimeSeconds * 1000

export const isSpending = (status: number): boolean =>
  status === Status.executed || status === Status.failed

export const has = ({ plan }: Pick<History, 'plan'>, ...kinds: Item['kind'][]): boolean =>
  plan.items.some(({ kind }) => kinds.includes(kind))

export const commonExcuses = ({ losses, reorganizations, foreign }: History) => ({
  lost_rows: losses.length > 0,
  reorganized: reorganizations.length > 0,
  foreign: foreign.size > 0,
})

export const isAnyBehind = ({ faults }: History): boolean =>
  [...faults.values()].some(({ kind }) => kind === 'replica_behind')

/** Whether some replica may not show what lies at the depth at which outcomes are final. */
export function isDepthHidden(history: History): boolean {
  const { plan, reorganizations } = history
  const { rules, blockMs, isRegular, maxBehindMs } = plan.knobs
  if (!isAnyBehind(history)) return false
  // A reorganization adds several blocks at a time.
  if (isRegular && reorganizations.length === 0) {
    return (rules.confirmations - 1) * blockMs <= maxBehindMs
  }
  return rules.confirmations < 12 || maxBehindMs > 25_000
}

/** Says whether bytes were sent before their nonce was given up: geth's pool may hold them until they are outbid. */
export function isLeftFar(
  { plan, givenUp, arrivals }: History,
  { hash, nonce }: { hash: Hex; nonce: number },
): boolean {
  const taken = givenUp.findLast((one) => one.nonce === nonce)
  if (plan.knobs.family !== 'geth' || taken === undefined) return false
  return arrivals.some(({ at, transaction }) => transaction.hash === hash && at <= taken.at)
}
