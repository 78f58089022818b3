import fc from 'fast-check'
import { seed, times } from './sample.ts'

/**
 * Holds for whatever is drawn from the run's seed; a failure shows the smallest example that was found
 * and the seed.
 */
export async function holds<Drawn extends unknown[]>(
  property: fc.IAsyncProperty<Drawn> | fc.IProperty<Drawn>,
  runs = { sampled: 300, full: 20_000 },
): Promise<void> {
  await fc.assert(property, { seed, numRuns: times(runs) })
}
