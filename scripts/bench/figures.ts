import { z } from 'zod'
import { type Spread, spreadOf } from './statistics.ts'

/** Parts of the table, in the order in which they stand there. */
export const groups = [
  'payments',
  'cpu',
  'bill',
  'nodeCalls',
  'screens',
  'jsonRpc',
  'heads',
  'claims',
  'memory',
  'startUp',
  'redis',
] as const

const spread = z.object({
  median: z.number(),
  low: z.number(),
  high: z.number(),
  rounds: z.number(),
})

const figure = z.object({
  /** Names it from one run to the next: dotted, the group first. */
  key: z.string(),
  group: z.enum(groups),
  title: z.string(),
  unit: z.string(),
  value: spread,
  /** Whether `--check` holds later runs to it. */
  checked: z.boolean(),
})

const run = z.object({
  command: z.string(),
  /** ISO 8601, UTC. */
  date: z.string(),
  seconds: z.number(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number(),
    memoryGiB: z.number(),
    system: z.string(),
    /** CPU milliseconds of one calibration loop. */
    calibrationMs: z.number(),
    versions: z.record(z.string(), z.string()),
  }),
  figures: z.array(figure),
})

/** What `docs/performance/results.json` holds: the last quick run and the last full one. */
export const results = z.object({ quick: run.optional(), full: run.optional() })

export type Figure = z.infer<typeof figure>
export type Group = Figure['group']
export type Run = z.infer<typeof run>
export type Results = z.infer<typeof results>

/** Takes figures in as they are measured. */
export type Figures = {
  /** A figure by the values of its rounds. */
  add: (key: string, title: string, unit: string, rounds: readonly number[] | Spread) => void
  /** The same for one that `--check` compares. */
  hold: (key: string, title: string, unit: string, rounds: readonly number[] | Spread) => void
  all: () => readonly Figure[]
}

/** Collects figures; `tell` is called with each. @throws {Error} a key twice, or no group's */
export function collectFigures(tell: (figure: Figure) => void): Figures {
  const all: Figure[] = []
  const take =
    (checked: boolean): Figures['add'] =>
    (key, title, unit, rounds) => {
      if (all.some((other) => other.key === key)) throw new Error(`the figure ${key} comes twice`)
      const group = groups.find((name) => key.startsWith(`${name}.`))
      if (group === undefined) throw new Error(`the figure ${key} is in no group`)
      const value = 'median' in rounds ? rounds : spreadOf(rounds)
      const taken = { key, group, title, unit, value, checked }
      all.push(taken)
      tell(taken)
    }
  return { add: take(false), hold: take(true), all: () => all }
}
