import type { Draft } from '../draft.ts'
import { addCounts } from '../payments/counts.ts'
import type { GatewayCounts, GatewayHours } from '../port.ts'

const hourMs = 3_600_000

/** Keeps three days: what stops is compared with the two days before. */
const keptHours = 72

export function readGatewayHours(rows: Draft): GatewayHours {
  const known = rows.row('meta', 'gateways')
  return known === undefined ? {} : (JSON.parse(known.value) as GatewayHours)
}

/** Adds what a process has counted of its gateways, and the hour of what they delivered. */
export function noteGateways(rows: Draft, counted: GatewayCounts | undefined): void {
  if (counted === undefined) return
  addCounts(rows, 'gateway', counted)
  const hour = Math.floor(rows.now / hourMs)
  const hours: Record<string, Readonly<Record<string, number>>> = { ...readGatewayHours(rows) }
  for (const [name, deliveries] of Object.entries(counted)) {
    const [gateway = '', event] = name.split('/')
    if (event !== 'delivery') continue
    const kept = Object.entries(hours[gateway] ?? {}).filter(
      ([at]) => Number(at) > hour - keptHours,
    )
    const before = Object.fromEntries(kept)
    hours[gateway] = { ...before, [hour]: (before[hour] ?? 0) + deliveries }
  }
  rows.put('meta', { name: 'gateways', value: JSON.stringify(hours) })
}
