/** Reads a page of a list that is sorted by score; the next page begins at `nextScore`. */
export function readScorePage<Item extends { score: number }>(
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
