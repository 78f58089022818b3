import type { Vitals } from '../../relay/ledger/port.ts'

const hourMs = 3_600_000
const dayHours = 24

/** Expects deliveries if this many came at the same time on both days before. */
const usualDeliveries = 10

/** Lists gateways that delivered at this time on both days before and are silent now. */
export function silentGateways({ gateways, now }: Pick<Vitals, 'gateways' | 'now'>) {
  return Object.entries(gateways).flatMap(([name, hours]) => {
    const last = Math.max(...Object.keys(hours).map(Number))
    return Number.isFinite(last) && isSilent(hours, last, now)
      ? [{ name, since: (last + 1) * hourMs }]
      : []
  })
}

/** Compares each full hour of the silence, and its first day, with the two days before. */
function isSilent(hours: Readonly<Record<string, number>>, last: number, now: number): boolean {
  const full = Math.min(Math.floor(now / hourMs) - 1, last + dayHours)
  for (const width of [1, dayHours]) {
    for (let end = last + width; end <= full; end++) {
      const before = [1, 2].map((days) => deliveriesIn(hours, end - days * dayHours, width))
      if (before.every((count) => count >= usualDeliveries)) return true
    }
  }
  return false
}

function deliveriesIn(hours: Readonly<Record<string, number>>, end: number, width: number): number {
  let count = 0
  for (let hour = end - width + 1; hour <= end; hour++) count += hours[hour] ?? 0
  return count
}
