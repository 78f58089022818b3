import type { Draft } from '../draft.ts'

type Counts = Readonly<Record<string, number>>

/** Returns how often each thing happened since the ledger was begun. */
export function countsOf(rows: Draft): Counts {
  const known = rows.row('meta', 'counts')
  return known === undefined ? {} : (JSON.parse(known.value) as Counts)
}

/** Counts an event of a kind of payment, or of `refused`, in the step in which it happens. */
export function count(rows: Draft, kind: string, event: string): void {
  const name = `${kind}.${event}`
  const counts = countsOf(rows)
  const value = JSON.stringify({ ...counts, [name]: (counts[name] ?? 0) + 1 })
  rows.put('meta', { name: 'counts', value })
}
