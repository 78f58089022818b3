import { addCounts, type Counts, countBy } from '../../count.ts'
import type { History } from '../history.ts'
import { Status } from '../model/contracts.ts'

/** How much a number of runs have seen: a simulator that never kills anybody finds nothing. */
export type Tally = Record<'seen' | 'faults' | 'events' | 'excused', Counts>

export const newTally = (): Tally => ({ seen: {}, faults: {}, events: {}, excused: {} })

const statuses = Object.keys(Status)

export const tallyOf = (
  { deliveries, processed, faults, plan }: History,
  excused: Counts,
): Tally => ({
  seen: {
    seeds: 1,
    deliveries: deliveries.length,
    ...countBy(processed.map(({ processed: { status } }) => statuses[status] ?? '')),
  },
  faults: countBy([...faults.values()].map(({ kind }) => kind)),
  events: countBy(plan.items.map(({ kind }) => kind)),
  excused,
})

export function add(tally: Tally, other: Tally): void {
  for (const name of Object.keys(tally) as (keyof Tally)[]) addCounts(tally[name], other[name])
}
