import type { Draft } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'

const rowName = 'missing'

/** Limits the names that are kept: the first ones tell what has happened. */
const maxNames = 20

/** Lists rows that others name, and that are missing, since payments were last resumed. */
export const listMissing = (rows: Draft): readonly string[] => readMeta(rows, rowName) ?? []

/** Records the rows that a step has missed: the ledger is damaged, so no payment is accepted. */
export function recordMissing(rows: Draft): void {
  if (rows.missing.size === 0) return
  const known = listMissing(rows)
  const names = [...new Set([...known, ...rows.missing])].slice(0, maxNames)
  if (names.length > known.length) saveMeta(rows, rowName, names)
}

/** Forgets them, because an operator has looked at the damage. */
export const forgetMissing = (rows: Draft): void => rows.drop('meta', rowName)
