/**
 * Gives the value below which this share of the values lies, between two of them where it falls there
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

/** Gives the middle value. @throws {RangeError} there are no values */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/**
 * Divides two things that were measured in turn, round by round: what slows the machine for a while
 * slows both.
 *
 * @throws {RangeError} there are not as many rounds of both
 */
export function divideRounds(rounds: readonly number[], baseline: readonly number[]): number[] {
  if (rounds.length !== baseline.length) throw new RangeError('a ratio needs rounds in pairs')
  return rounds.map((value, index) => value / (baseline[index] ?? Number.NaN))
}

/** Gives each name its turns. Every second round goes backwards: nobody always follows the same. */
export async function takeTurns<Name extends string, Taken>(
  names: readonly Name[],
  rounds: number,
  take: (name: Name) => Promise<Taken>,
): Promise<Record<Name, Taken[]>> {
  const taken = Object.fromEntries(names.map((name) => [name, [] as Taken[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      taken[name]?.push(await take(name))
    }
  }
  return taken as Record<Name, Taken[]>
}
