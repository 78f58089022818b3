import type { Draft } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'

type EventCounts = MetaValue<'counts'>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const sampleIntervalMs = 10 * 60 * 1000

/** Holds the counts at a time (Unix time in ms), as they are stored. */
type CountSample = MetaValue<'counted'>[number]

/** Returns how often each event happened since the ledger was created. */
export const readEventCounts = (rows: Draft): EventCounts => readMeta(rows, 'counts') ?? {}

/** Counts an event, in the step in which it happens; `kind` is a payment's, or another group. */
export function countEvent(rows: Draft, kind: string, event: string): void {
  addCounts(rows, kind, { [event]: 1 })
}

export function addCounts(rows: Draft, kind: string, added: EventCounts): void {
  const counts = { ...readEventCounts(rows) }
  for (const [event, times] of Object.entries(added)) {
    const name = `${kind}.${event}`
    counts[name] = (counts[name] ?? 0) + times
  }
  saveMeta(rows, 'counts', counts)
}

const readSamples = (rows: Draft): readonly CountSample[] => readMeta(rows, 'counted') ?? []

const getDayStart = (time: number): number => time - (time % dayMs)
const getHourStart = (time: number): number => time - (time % hourMs)

const begun = /\.(accepted|enqueued)$/

/** Stores a sample of the counts if the last one is ten minutes old, or of another hour. */
export function sampleCounts(rows: Draft): void {
  const { now } = rows
  const samples = readSamples(rows)
  const [lastAt = 0] = samples.at(-1) ?? []
  if (now - lastAt < sampleIntervalMs && getHourStart(lastAt) === getHourStart(now)) return
  const firstOfDay = samples.find(([at]) => getDayStart(at) === getDayStart(now))
  // Whole are the day's first sample and those of about the last hour; of each hour of a day, only
  // the payments are needed.
  const needed = samples.flatMap((sample, index): CountSample[] => {
    const [at, counts] = sample
    const [nextAt = now] = samples[index + 1] ?? []
    if (sample === firstOfDay || now - nextAt < hourMs + sampleIntervalMs) return [sample]
    const isFirst = getHourStart(samples[index - 1]?.[0] ?? 0) !== getHourStart(at)
    const payments = Object.entries(counts).filter(([name]) => begun.test(name))
    return isFirst && now - at < dayMs ? [[at, Object.fromEntries(payments)]] : []
  })
  saveMeta(rows, 'counted', [...needed, [now, readEventCounts(rows)]])
}

/** Returns the counts of about the last hour, and since the day's first sample. */
export function sumRecentCounts(
  rows: Draft,
): Readonly<Record<'hour' | 'today', { since: number; counts: EventCounts }>> {
  const { now } = rows
  const samples = readSamples(rows)
  const counts = readEventCounts(rows)
  const countSince = (start: CountSample | undefined) => {
    const [at, before] = start ?? [now, counts]
    const added = Object.entries(counts).map(([name, sum]) => [name, sum - (before[name] ?? 0)])
    return { since: at, counts: Object.fromEntries(added.filter(([, times]) => times !== 0)) }
  }
  const firstOfDay = samples.find(([at]) => getDayStart(at) === getDayStart(now)) ?? samples.at(-1)
  return {
    hour: countSince(samples.findLast(([at]) => now - at >= hourMs) ?? samples[0]),
    today: countSince(firstOfDay),
  }
}

/** Counts the payments that began in each hour of about a day that had any, the earliest first. */
export function countPaymentsByHour(rows: Draft): { at: number; payments: number }[] {
  const samples = readSamples(rows)
  const ends = [...samples.slice(1), [rows.now, readEventCounts(rows)] as const]
  const hours = new Map<number, number>()
  for (const [index, [at, before]] of samples.entries()) {
    const payments = sumBegun(ends[index]?.[1] ?? before) - sumBegun(before)
    const hour = getHourStart(at)
    if (payments > 0) hours.set(hour, (hours.get(hour) ?? 0) + payments)
  }
  return [...hours].map(([at, payments]) => ({ at, payments }))
}

const sumBegun = (counts: EventCounts): number =>
  Object.entries(counts).reduce((sum, [name, times]) => sum + (begun.test(name) ? times : 0), 0)

/** Counts what each gateway delivered in each hour (Unix time in hours). */
type GatewayHours = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Counts `<gateway>/<event>` since the serving process's last report. */
export type GatewayCounts = Readonly<Record<string, number>>

/** Limits the hours that are stored to three days, so that one is compared with two before it. */
const maxHours = 72

export const readGatewayHours = (rows: Draft): GatewayHours => readMeta(rows, 'gateways') ?? {}

export const readGatewayFaults = (rows: Draft): Readonly<Record<string, number>> =>
  readMeta(rows, 'gateway_faults') ?? {}

/** Adds a process's counts of its gateways: in sum, and deliveries by the hour. */
export function addGatewayCounts(rows: Draft, counted: GatewayCounts | undefined): void {
  if (counted === undefined) return
  addCounts(rows, 'gateway', counted)
  const faults = Object.keys(counted).filter((name) => /\/(bad|wrong_secret)$/.test(name))
  if (faults.length > 0) {
    const times = Object.fromEntries(faults.map((name) => [name, rows.now]))
    saveMeta(rows, 'gateway_faults', { ...readGatewayFaults(rows), ...times })
  }
  const hour = Math.floor(rows.now / hourMs)
  const hours: Record<string, Readonly<Record<string, number>>> = { ...readGatewayHours(rows) }
  for (const [name, deliveries] of Object.entries(counted)) {
    const [gateway = '', event] = name.split('/')
    if (event !== 'delivery') continue
    const recentHours = Object.entries(hours[gateway] ?? {}).filter(
      ([past]) => Number(past) > hour - maxHours,
    )
    const countsByHour = Object.fromEntries(recentHours)
    hours[gateway] = { ...countsByHour, [hour]: (countsByHour[hour] ?? 0) + deliveries }
  }
  saveMeta(rows, 'gateways', hours)
}
