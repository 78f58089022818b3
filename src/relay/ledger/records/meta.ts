import type { Draft } from '../draft.ts'

/** Reads a value of the table `meta`, which holds JSON; undefined if it is not stored. */
export function readMeta<Value>(rows: Draft, name: string): Value | undefined {
  const row = rows.row('meta', name)
  return row && (JSON.parse(row.value) as Value)
}

export const saveMeta = (rows: Draft, name: string, value: unknown): void =>
  rows.put('meta', { name, value: JSON.stringify(value) })
