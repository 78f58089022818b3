import type { Draft } from '../draft.ts'
import { getScore, type Listing, type Row, tables } from '../rows.ts'

/** Tells where a page begins: at a score (`from`) of the list with the index `part`. */
export type PagePosition = { part: number; from: number }

/** Sets how many rows a page searches, unless more rows have one score. */
const initialLimit = 500

type AgedTable = 'sessions' | 'history' | 'audit' | 'holds' | 'tills' | 'aliases'

/** Searches a page of a table, by age. */
export function searchPage<Name extends AgedTable>(
  rows: Draft,
  table: Name,
  from: number,
  isWanted: (row: Row<Name>) => boolean,
): { matches: Row<Name>[]; nextScore: number | undefined } {
  const { items, nextScore } = readScorePage(initialLimit, (limit) =>
    rows
      .list({ table, list: 'age', from, limit } as Listing<Name>)
      .map((row) => ({ row, score: getScore(tables[table], 'age', row) })),
  )
  return { matches: items.map(({ row }) => row).filter(isWanted), nextScore }
}

/** Reads a page of a list that is sorted by score; the next page begins at `nextScore`. */
function readScorePage<Item extends { score: number }>(
  initialLimit: number,
  readList: (limit: number) => Item[],
): { items: Item[]; nextScore: number | undefined } {
  for (let limit = initialLimit; ; limit *= 2) {
    const items = readList(limit)
    const lastScore = items.at(-1)?.score
    if (lastScore === undefined || items.length < limit) return { items, nextScore: undefined }
    // More items may have the last score, so the next page has all of them.
    const complete = items.filter(({ score }) => score < lastScore)
    if (complete.length > 0) return { items: complete, nextScore: lastScore }
    // All items have one score, so the page needs more of them.
  }
}
