import type { FaultKind } from '../faults.ts'
import type { History } from '../history.ts'
import type { Excuse } from '../oracle/rules.ts'

/** How much a number of runs have seen: a simulator that never kills anybody finds nothing. */
export type Tally = {
  seeds: number
  deliveries: number
  /** Requests in the chains as they were at the end. */
  executed: number
  failed: number
  faults: Partial<Record<FaultKind, number>>
  /** Events of the plans, by their kinds. */
  events: Record<string, number>
  /** How often each excuse was needed. */
  excused: Partial<Record<Excuse, number>>
}

export function newTally(): Tally {
  return { seeds: 0, deliveries: 0, executed: 0, failed: 0, faults: {}, events: {}, excused: {} }
}

/** Adds a run. */
export function count(
  tally: Tally,
  { deliveries, processed, faults, plan }: History,
  excused: Tally['excused'],
): void {
  tally.seeds += 1
  tally.deliveries += deliveries.length
  for (const { processed: result } of processed) {
    if (result.status === 0) tally.executed += 1
    if (result.status === 1) tally.failed += 1
  }
  for (const { kind } of faults.values()) tally.faults[kind] = (tally.faults[kind] ?? 0) + 1
  addTo(tally.excused, excused)
  for (const { kind } of plan.items) tally.events[kind] = (tally.events[kind] ?? 0) + 1
}

/** Adds what another process has counted. */
export function add(tally: Tally, other: Tally): void {
  tally.seeds += other.seeds
  tally.deliveries += other.deliveries
  tally.executed += other.executed
  tally.failed += other.failed
  for (const name of ['faults', 'events', 'excused'] as const) {
    addTo(tally[name], other[name])
  }
}

function addTo(sums: Record<string, number>, more: Record<string, number>): void {
  for (const [kind, times] of Object.entries(more)) sums[kind] = (sums[kind] ?? 0) + times
}
