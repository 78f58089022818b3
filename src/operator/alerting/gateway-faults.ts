import { toIso } from '../records.ts'

type GatewayFault = {
  gateway: string
  event: keyof typeof descriptions
  count: number
  at: number | undefined
}

const descriptions = {
  wrong_secret:
    'came without the secret in CALLBACK_SECRET, and got a 404. Compare it with the address and the header that the gateway has',
  bad: 'could not be read, and were answered with an error. The log has the reason as gateway.bad: compare it with the form that the gateway documents',
}

/** Lists which requests of gateways were refused, by the counts of an hour and their last times. */
export function listGatewayFaults(
  counts: Readonly<Record<string, number>>,
  lastTimes: Readonly<Record<string, number>>,
): GatewayFault[] {
  return Object.entries(counts).flatMap(([name, count]) => {
    const [, gateway, event] = /^gateway\.(.+)\/(wrong_secret|bad)$/.exec(name) ?? []
    if (gateway === undefined || count === 0) return []
    const at = lastTimes[`${gateway}/${event}`]
    return [{ gateway, event: event as GatewayFault['event'], count, at }]
  })
}

export function describeGatewayFault({ gateway, event, count, at }: GatewayFault): string {
  const last = at === undefined ? '' : `, the last at ${toIso(at)}`
  return `${count} of the requests to ${gateway} in the last hour${last}, ${descriptions[event]}. Once fixed, this line disappears about an hour after the last of them.`
}
