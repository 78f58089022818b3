import type { Draft } from '../draft.ts'
import type { Decided, FirstValue, Shown, StepKey } from '../port.ts'

/** Returns the first value of this name. It is stored, unless the session is decided by then. */
export function saveFirstValue(
  rows: Draft,
  { session, input: step, name, value }: FirstValue,
  decided: Decided | undefined,
): Shown | Decided {
  const stored = rows.row('shown', session, step, name)
  if (stored !== undefined) return { kind: 'shown', value: stored.value }
  if (decided !== undefined) return decided
  rows.put('shown', { session, step, name, value, shown_at: rows.now })
  return { kind: 'shown', value }
}

export const readFirstValue = (rows: Draft, { session, input }: StepKey, name: string) =>
  rows.row('shown', session, input, name)?.value

export function pruneShown(rows: Draft, olderThanMs: number, limit: number): void {
  for (const row of rows.list({ table: 'shown', list: 'age', olderThanMs, limit })) {
    rows.drop('shown', row.session, row.step, row.name)
  }
}
