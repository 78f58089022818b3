/** Sets how many rows a page searches, unless more rows have one score. */
const initialLimit = 500

/**
 * Searches a page of a list that is sorted by this column. The next page begins at `nextScore`,
 * undefined on the last one.
 */
export function searchPage<Listed extends object>(
  list: (limit: number) => Listed[],
  column: keyof Listed,
  isWanted: (row: Listed) => boolean = () => true,
): { matches: Listed[]; nextScore: number | undefined } {
  for (let limit = initialLimit; ; limit *= 2) {
    const rows = list(limit)
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) {
      return { matches: rows.filter(isWanted), nextScore: undefined }
    }
    // More rows may have the last score, so the next page has all of them.
    const complete = rows.filter((row) => row[column] !== last[column])
    if (complete.length > 0) {
      return { matches: complete.filter(isWanted), nextScore: Number(last[column]) }
    }
    // All rows have one score, so the page needs more of them.
  }
}
