import type { Vitals } from '../kept/steps.ts'
import { toIso } from '../records.ts'

const descriptions = {
  wrong_secret:
    'came without the secret in CALLBACK_SECRET, and got a 404. Compare it with the address and the header that the gateway has',
  bad: 'could not be read, and were answered with an error. The log has the reason as gateway.bad: compare it with the form that the gateway documents',
}

/** Lists which requests of gateways were refused, by the counts of an hour and their last times. */
export function listGatewayFaults(
  counts: Readonly<Record<string, number>>,
  lastTimes: Readonly<Record<string, number | string>>,
) {
  return Object.entries(counts).flatMap(([name, count]) => {
    const [, gateway, event] = /^gateway\.(.+)\/(wrong_secret|bad)$/.exec(name) ?? []
    if (gateway === undefined || count === 0) return []
    const at = lastTimes[`${gateway}/${event}`]
    return [{ gateway, event: event as keyof typeof descriptions, count, at }]
  })
}

export function describeGatewayFault(fault: ReturnType<typeof listGatewayFaults>[number]): string {
  const { gateway, event, count, at } = fault
  const last = at === undefined ? '' : `, the last at ${toIso(at)}`
  return `${count} of the requests to ${gateway} in the last hour${last}, ${descriptions[event]}. Once fixed, this line disappears about an hour after the last of them.`
}

const hourMs = 3_600_000
const dayHours = 24

/** Sets how many deliveries on each of the two days before are enough to expect some today. */
const minUsualDeliveries = 10

/** Lists the gateways that are silent now and delivered at this time on both days before. */
export function listSilentGateways({ gateways, now }: Pick<Vitals, 'gateways' | 'now'>) {
  return Object.entries(gateways).flatMap(([name, hours]) => {
    const lastHour = Math.max(...Object.keys(hours).map(Number))
    return Number.isFinite(lastHour) && isSilent(hours, lastHour, now)
      ? [{ name, since: (lastHour + 1) * hourMs }]
      : []
  })
}

/** Compares each full hour of the silence, and its first day, with the two days before. */
function isSilent(hours: Readonly<Record<string, number>>, lastHour: number, now: number): boolean {
  const lastFullHour = Math.min(Math.floor(now / hourMs) - 1, lastHour + dayHours)
  for (const span of [1, dayHours]) {
    for (let end = lastHour + span; end <= lastFullHour; end++) {
      const before = [1, 2].map((days) => countDeliveries(hours, end - days * dayHours, span))
      if (before.every((count) => count >= minUsualDeliveries)) return true
    }
  }
  return false
}

function countDeliveries(hours: Readonly<Record<string, number>>, end: number, span: number) {
  let count = 0
  for (let hour = end - span + 1; hour <= end; hour++) count += hours[hour] ?? 0
  return count
}
