/** How often each thing was seen, by its name. */
export type Counts = Record<string, number>

export function countBy(names: Iterable<string>): Counts {
  const counts: Counts = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

export function addCounts(counts: Counts, more: Counts): void {
  for (const [name, times] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + times
}
