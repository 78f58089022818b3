import type { Random } from '../random.ts'
import type { Records } from './history.ts'
import type { RoundWatchOptions } from './relay/rounds.ts'

/** Circumstances that events change. */
export type Weather = {
  /** Whether faults are drawn. */
  isTroubled: boolean
  /** Whether all that was planned to happen has happened. */
  isCalm: boolean
  /** Whether blocks and the scheduled trigger go on. */
  isRunning: boolean
  blocksStopUntil: number
  /** What the least gas price comes back to. */
  usualGasPriceWei: bigint
  nodeDown: { until: number; share: number }[]
  /** By how many transactions Workers are told too much of the relayer's count. */
  miscounts: { until: number; by: number }[]
}

export function newWeather(usualGasPriceWei: bigint): Weather {
  return {
    isTroubled: true,
    isCalm: false,
    isRunning: true,
    blocksStopUntil: 0,
    usualGasPriceWei,
    nodeDown: [],
    miscounts: [],
  }
}

/** Whether a call of this time meets a node that cannot be reached. */
export function isNodeDown({ nodeDown }: Weather, now: number, random: Random): boolean {
  return nodeDown.some(({ until, share }) => now < until && random.chance(share))
}

/** By how many transactions a Worker is told too much at this time. */
export const miscountAt = ({ miscounts }: Weather, now: number): number =>
  Math.max(0, ...miscounts.filter(({ until }) => now < until).map(({ by }) => by))

/** By what a round is judged: how quiet it was, and what had happened before it. */
export function circumstances(
  weather: Weather,
  records: Records,
): Pick<RoundWatchOptions, 'isQuiet' | 'isCounted' | 'isOneBranch' | 'isAlone'> {
  return {
    isAlone: () =>
      records.foreign.size + records.displacedTold === 0 && records.losses.length === 0,
    isCounted(before) {
      const quietFrom = records.quietFrom.at(-1) ?? Number.POSITIVE_INFINITY
      return records.asked.some(
        ({ at, by, method, params }) =>
          at > quietFrom &&
          at < before &&
          by.startsWith('round') &&
          method === 'eth_getTransactionCount' &&
          params[1] === 'latest',
      )
    },
    isOneBranch: () => records.reorganizations.length === 0,
    isQuiet: () =>
      !weather.isTroubled && weather.isCalm && records.losses.every(({ row }) => row === undefined),
  }
}
