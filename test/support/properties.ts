import fc from 'fast-check'
import { seed, times } from './sample.ts'

// Without it what has a maximum is drawn with at most 10 items, whatever its maximum is.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })

/** Holds for whatever is drawn from the run's seed; a failure shows the smallest example. */
export async function holds<Drawn extends unknown[]>(
  property: fc.IAsyncProperty<Drawn> | fc.IProperty<Drawn>,
  runs = { sampled: 300, full: 20_000 },
): Promise<void> {
  await fc.assert(property, { seed, numRuns: times(runs) })
}

/** Any character of Unicode: fast-check's own lists all of them for each string, for a second. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((place) => String.fromCodePoint(place < 0xd800 ? place : place + 0x800))
