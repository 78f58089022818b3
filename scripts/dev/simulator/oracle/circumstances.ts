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

/** Says whether bytes were sent before their nonce was given up: a pool that takes any nonce may hold them until they are outbid. */
export function isLeftFar(
  { plan, givenUp, arrivals }: History,
  { hash, nonce }: { hash: Hex; nonce: number },
): boolean {
  const taken = givenUp.findLast((one) => one.nonce === nonce)
  if (!plan.knobs.isRoomy || taken === undefined) return false
  return arrivals.some(({ at, transaction }) => transaction.hash === hash && at <= taken.at)
}
