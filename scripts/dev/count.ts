export type Counts = Record<string, number>

export function countBy(names: Iterable<string>): Counts {
  const counts: Counts = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

export function addCounts(counts: Counts, more: Counts): void {
  for (const [name, times] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + times
}

/** Returns the value below which this share of the values lies, interpolated between two. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}
