import type { Draft } from '../draft.ts'
import type { Decided, Question, Showing, Shown } from '../port.ts'

/** Stores a name's first value, unless the session is decided: then its answer counts. */
export function rememberFirst(
  rows: Draft,
  { session, input: step, name, value }: Showing,
  decided: Decided | undefined,
): Shown | Decided {
  const known = rows.row('shown', session, step, name)
  if (known !== undefined) return { kind: 'shown', value: known.value }
  if (decided !== undefined) return decided
  rows.put('shown', { session, step, name, value, shown_at: rows.now })
  return { kind: 'shown', value }
}

export const recall = (rows: Draft, { session, input }: Question, name: string) =>
  rows.row('shown', session, input, name)?.value

export function pruneShown(rows: Draft, olderThanMs: number, limit: number): void {
  for (const row of rows.list({ table: 'shown', list: 'age', olderThanMs, limit })) {
    rows.drop('shown', row.session, row.step, row.name)
  }
}
