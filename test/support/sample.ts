import { inject, type TestAPI } from 'vitest'
import { createRandom } from '../../scripts/dev/random.ts'
import type { Depth } from '../../scripts/testing/test-depth.ts'

declare module 'vitest' {
  interface ProvidedContext {
    depth: Depth
  }
}

export const { isFull, seed } = inject('depth')

/** Draws items by seed and name, in their order; all of them in a full run. */
export function sampleOf<Item>(count: number, all: readonly Item[], name = ''): readonly Item[] {
  if (isFull || all.length <= count) return all
  const random = createRandom(seed, name)
  const places = all.map((_, place) => ({ place, drawn: random.next() }))
  const chosen = new Set(
    places
      .sort((a, b) => a.drawn - b.drawn)
      .slice(0, count)
      .map(({ place }) => place),
  )
  return all.filter((_, place) => chosen.has(place))
}

/** Returns the number of repetitions of a sample, or of a full run. */
export function times({ sampled, full }: { sampled: number; full: number }): number {
  return isFull ? full : sampled
}

/** Declares every second test of a file, by the seed, in a sampled run of all files. */
export function drawHalf(declare: TestAPI): TestAPI {
  if (isFull || process.env.IS_WHOLE_RUN === undefined) return declare
  let turn = createRandom(seed, 'half').int(0, 1)
  const isDrawn = () => turn++ % 2 === 0
  const half: unknown = Object.assign(
    (...its: Parameters<TestAPI>) => isDrawn() && declare(...its),
    {
      for: (...cases: Parameters<TestAPI['for']>) => (isDrawn() ? declare.for(...cases) : () => {}),
    },
  )
  return half as TestAPI
}

/** Lists all orders of these. */
export function listPermutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, place) =>
    listPermutations(items.toSpliced(place, 1)).map((rest) => [item, ...rest]),
  )
}
