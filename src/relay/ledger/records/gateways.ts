import type { Draft } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import { addCounts } from '../payments/counts.ts'

/** Counts what each gateway delivered in each hour (Unix time in hours). */
type GatewayHours = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Counts `<gateway>/<event>` since the serving process's last report. */
export type GatewayCounts = Readonly<Record<string, number>>

const hourMs = 3_600_000

/** Limits the hours that are stored to three days, so that one is compared with two before it. */
const maxHours = 72

export const readGatewayHours = (rows: Draft): GatewayHours => readMeta(rows, 'gateways') ?? {}

/** Returns when each fault of a gateway was counted last. */
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
