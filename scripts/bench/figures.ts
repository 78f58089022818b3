import { z } from 'zod'
import { quantile } from '../dev/count.ts'

export type Figure = {
  /** Says what was measured, and names the figure from one run to the next. */
  name: string
  unit: string
  /** The middle, the lowest, and the highest of its rounds. */
  value: number
  low: number
  high: number
  /** Tells whether `--check` holds later runs to it. */
  held: boolean
}

export type Figures = ReturnType<typeof collectFigures>

/** Holds the held figures of the last committed run (`docs/performance/results.json`). */
export const results = z.object({
  /** ISO 8601, UTC. */
  date: z.string(),
  machine: z.string(),
  versions: z.string(),
  figures: z.array(z.object({ name: z.string(), unit: z.string(), value: z.number() })),
})

export type Results = z.infer<typeof results>

/** Collects figures and calls `tell` with each. @throws {Error} a name comes twice */
export function collectFigures(tell: (figure: Figure) => void) {
  const all: Figure[] = []
  const take =
    (held: boolean) =>
    (name: string, unit: string, ...rounds: readonly number[]) => {
      if (all.some((other) => other.name === name))
        throw new Error(`the figure ${name} comes twice`)
      const [low, high] = [Math.min(...rounds), Math.max(...rounds)]
      const figure = { name, unit, value: quantile(rounds, 0.5), low, high, held }
      all.push(figure)
      tell(figure)
    }
  /** `hold` adds one that `--check` compares. */
  return { add: take(false), hold: take(true), all: all as readonly Figure[] }
}

/** Runs each name in turn; every second round is reversed, to vary the order. */
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

/** Limits how far a held figure may differ: a fifth. */
export const tolerance = 0.2

/** Names held figures that are off by more than the tolerance, and those that only one side has. */
export function compareFigures(
  committed: Results['figures'],
  measured: readonly Pick<Figure, 'name' | 'unit' | 'value' | 'held'>[],
): string[] {
  const held = measured.filter((figure) => figure.held)
  const missing = committed.filter(({ name }) => !held.some((figure) => figure.name === name))
  return [
    ...held.flatMap(({ name, unit, value }) => {
      const was = committed.find((figure) => figure.name === name)?.value
      if (was === undefined) return [`${name} was never committed`]
      if (Math.abs(value - was) <= Math.abs(was) * tolerance) return []
      return [`${name}: ${value.toFixed(3)} ${unit}, committed ${was.toFixed(3)}`]
    }),
    ...missing.map(({ name }) => `${name} is committed and was not measured`),
  ]
}
