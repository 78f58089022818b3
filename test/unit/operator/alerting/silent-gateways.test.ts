import { expect, test } from 'vitest'
import { listSilentGateways } from '../../../../src/operator/alerting/gateways.ts'

const hourMs = 3_600_000
/** Is the hour from which the tests count. */
const began = 480_000

type Day = { from: number; to: number; each: number }

/** Deliveries of each hour of some days, of which the last one may end early. */
function deliveries(days: number, { from, to, each }: Day, endsAt = days * 24) {
  const hours = Array.from({ length: days * 24 }, (_, hour) => hour)
  const busy = hours.filter((hour) => hour % 24 >= from && hour % 24 < to && hour < endsAt)
  return Object.fromEntries(busy.map((hour) => [began + hour, each]))
}

const silentAt = (hours: Record<string, number>, hour: number) =>
  listSilentGateways({ gateways: { hubtel: hours }, now: (began + hour) * hourMs })

const shop = { from: 8, to: 18, each: 10 }
const kiosk = { from: 8, to: 18, each: 1 }

test.for<[what: string, hours: Record<string, number>, at: number, isSilent: boolean]>([
  ['one that delivers as on the days before is not', deliveries(4, shop, 72 + 10), 72 + 10, false],
  ['one that ends for the night is not', deliveries(3, shop), 72 + 7, false],
  ['one that does not begin in the morning is, an hour later', deliveries(3, shop), 72 + 9, true],
  ['one that stops at noon is, once an hour is over', deliveries(3, shop, 60), 61, true],
  ['nor is it before', deliveries(3, shop, 60), 60.9, false],
  ['and is still in the night', deliveries(3, shop, 60), 71, true],
  ['one of few deliveries is not after an hour', deliveries(3, kiosk), 72 + 10, false],
  ['but is after a day without any', deliveries(3, kiosk, 66), 66 + 24, true],
  ['one of two days is not known', deliveries(1, shop), 24 + 10, false],
  ['one that never delivered is not missed', {}, 100, false],
])('a gateway is silent: %s', ([, hours, at, isSilent]) => {
  const found = silentAt(hours, at)
  expect(found.map(({ name }) => name)).toEqual(isSilent ? ['hubtel'] : [])
  const last = Math.max(...Object.keys(hours).map(Number))
  if (isSilent) expect(found[0]?.since).toBe((last + 1) * hourMs)
})
