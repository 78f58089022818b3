import type { Draft } from '../draft.ts'
import { addCounts } from '../payments/counts.ts'
import type { GatewayCounts, GatewayHours, Vitals } from '../port.ts'

const hourMs = 3_600_000

/** Keeps three days, to compare the last one with the two before. */
const keptHours = 72

export function readGatewayHours(rows: Draft): GatewayHours {
  const known = rows.row('meta', 'gateways')
  return known === undefined ? {} : (JSON.parse(known.value) as GatewayHours)
}

/** Returns when each fault of a gateway was counted last. */
export function readGatewayFaults(rows: Draft): Vitals['gatewayFaults'] {
  const known = rows.row('meta', 'gateway_faults')
  return known === undefined ? {} : JSON.parse(known.value)
}

/** Adds what a process has counted of its gateways, and the hour of what they delivered. */
export function noteGateways(rows: Draft, counted: GatewayCounts | undefined): void {
  if (counted === undefined) return
  addCounts(rows, 'gateway', counted)
  const faults = Object.keys(counted).filter((name) => /\/(bad|wrong_secret)$/.test(name))
  if (faults.length > 0) {
    const times = Object.fromEntries(faults.map((name) => [name, rows.now]))
    const value = JSON.stringify({ ...readGatewayFaults(rows), ...times })
    rows.put('meta', { name: 'gateway_faults', value })
  }
  const hour = Math.floor(rows.now / hourMs)
  const hours: Record<string, Readonly<Record<string, number>>> = { ...readGatewayHours(rows) }
  for (const [name, deliveries] of Object.entries(counted)) {
    const [gateway = '', event] = name.split('/')
    if (event !== 'delivery') continue
    const recentHours = Object.entries(hours[gateway] ?? {}).filter(
      ([at]) => Number(at) > hour - keptHours,
    )
    const before = Object.fromEntries(recentHours)
    hours[gateway] = { ...before, [hour]: (before[hour] ?? 0) + deliveries }
  }
  rows.put('meta', { name: 'gateways', value: JSON.stringify(hours) })
}
