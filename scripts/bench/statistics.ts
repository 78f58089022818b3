/** A figure over rounds: its middle and how far its rounds lie apart. */
export type Spread = {
  median: number
  /** The lowest and the highest round. */
  low: number
  high: number
  rounds: number
}

/**
 * The value below which this share of the values lies, between two of them where it falls there
 * (Hyndman and Fan's definition 7, as R and NumPy have it).
 *
 * @throws {RangeError} there are no values, or the share is not within 0 and 1
 */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('no values, so no quantile')
  if (!(share >= 0 && share <= 1)) throw new RangeError('a share is within 0 and 1')
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** The middle value. @throws {RangeError} there are no values */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** What rounds come to. @throws {RangeError} there are none */
export function spreadOf(rounds: readonly number[]): Spread {
  return {
    median: median(rounds),
    low: quantile(rounds, 0),
    high: quantile(rounds, 1),
    rounds: rounds.length,
  }
}

/**
 * The ratio of two things that were measured in turn, round by round: what slows the machine for a
 * while slows both.
 *
 * @throws {RangeError} there are no rounds, or not as many of both
 */
export function ratioOf(rounds: readonly number[], baseline: readonly number[]): Spread {
  if (rounds.length !== baseline.length) throw new RangeError('a ratio needs rounds in pairs')
  return spreadOf(rounds.map((value, index) => value / (baseline[index] ?? Number.NaN)))
}
