import type { Draft } from '../draft.ts'
import type { EventCounts, Vitals } from '../port.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** Separates two samples of the counts. */
const apartMs = 10 * 60 * 1000

type Counted = readonly [at: number, counts: EventCounts]

/** Returns how often each event happened since the ledger was created. */
export function readEventCounts(rows: Draft): EventCounts {
  const row = rows.row('meta', 'counts')
  return row === undefined ? {} : (JSON.parse(row.value) as EventCounts)
}

/** Counts an event of a kind of payment, or of `refused`, in the step in which it happens. */
export function count(rows: Draft, kind: string, event: string): void {
  addCounts(rows, kind, { [event]: 1 })
}

/** Adds to the counts of a kind, by event. */
export function addCounts(rows: Draft, kind: string, more: EventCounts): void {
  const counts: Record<string, number> = { ...readEventCounts(rows) }
  for (const [event, times] of Object.entries(more)) {
    const name = `${kind}.${event}`
    counts[name] = (counts[name] ?? 0) + times
  }
  rows.put('meta', { name: 'counts', value: JSON.stringify(counts) })
}

const readSamples = (rows: Draft): readonly Counted[] => {
  const row = rows.row('meta', 'counted')
  return row === undefined ? [] : (JSON.parse(row.value) as Counted[])
}

const toDay = (at: number): number => at - (at % dayMs)

/** Stores a sample of the counts every ten minutes and at each day's start, when asked. */
export function noteCounts(rows: Draft): void {
  const { now } = rows
  const before = readSamples(rows)
  const [last = 0] = before.at(-1) ?? []
  if (now - last < apartMs && toDay(last) === toDay(now)) return
  const first = before.find(([at]) => toDay(at) === toDay(now))
  const recent = before.filter((one, index) => {
    const [next = now] = before[index + 1] ?? []
    return one === first || now - next < hourMs + apartMs
  })
  const value = JSON.stringify([...recent, [now, readEventCounts(rows)]])
  rows.put('meta', { name: 'counted', value })
}

/** Returns the counts of about the last hour, and since the day's first sample. */
export function countLately(rows: Draft): Vitals['lately'] {
  const { now } = rows
  const samples = readSamples(rows)
  const counts = readEventCounts(rows)
  const since = (start: Counted | undefined) => {
    const [at, before] = start ?? [now, counts]
    const added = Object.entries(counts).map(([name, sum]) => [name, sum - (before[name] ?? 0)])
    return { since: at, counts: Object.fromEntries(added.filter(([, times]) => times !== 0)) }
  }
  const ofDay = samples.find(([at]) => toDay(at) === toDay(now)) ?? samples.at(-1)
  return {
    hour: since(samples.findLast(([at]) => now - at >= hourMs) ?? samples[0]),
    today: since(ofDay),
  }
}
