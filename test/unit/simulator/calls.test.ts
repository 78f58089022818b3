import { expect, test } from 'vitest'
import { drawPlan } from '../../../scripts/dev/simulator/draw/draw-plan.ts'
import type { Dial } from '../../../scripts/dev/simulator/plan.ts'
import { runPlan } from '../../../scripts/dev/simulator/run.ts'
import { poolRules } from '../../../src/chain/chains.ts'

const minuteMs = 60_000
const payments = 60

/** An hour on Rootstock in which nothing goes wrong and some caller sends something each minute. */
function paymentsEachMinute() {
  const { seed, setup } = drawPlan(1)
  const items = Array.from({ length: payments }, (_, id): Dial & { phase: 0; at: number } => ({
    ...{ phase: 0, at: 5_000 + id * minuteMs, kind: 'dial', id, session: `s${id}`, worker: id % 3 },
    ...{ caller: id % 9, text: `2*070000000${(id + 1) % 9}*0.0001` },
    wanted: { kind: 'transfer', to: (id + 1) % 9, amountWei: 10n ** 14n },
  }))
  const rules = poolRules.rootstock
  return {
    seed,
    setup: {
      ...{ ...setup, rules, isRoomy: false, slots: 16, preflight: true, rates: {} },
      ...{ workers: 3, skewsMs: [0, 0, 0], callers: 9, slowness: 1, troubledMs: 1_000 },
      ...{ blockMs: rules.blockMs, isRegular: true, inclusion: 1, pauseDays: undefined },
    },
    items,
  }
}

test('a payment costs four calls to the node, and an open hour no more than two a block', async () => {
  const { history } = await runPlan(paymentsEachMinute())
  const told = history.deliveries.filter(({ reply }) => reply?.startsWith('END Transfer Submitted'))
  expect(told.filter(({ isProbe }) => !isProbe)).toHaveLength(payments)

  const asked = history.asked.filter(({ by }) => !by.startsWith('probe'))
  const [first, last] = [asked[0]?.at ?? 0, asked.at(-1)?.at ?? 0]
  const isReceipt = ({ method }: { method: string }) => method === 'eth_getTransactionReceipt'
  const [own, shared] = [
    asked.filter(({ by }) => by.startsWith('delivery')),
    asked.filter(({ by }) => by.startsWith('round')),
  ]
  // Simulation, what the pool holds, broadcast and receipt; each worker's first asks besides for
  // the contracts, what they count, and what no row tells yet.
  expect(own.length).toBeLessThanOrEqual(4 * payments + 3 * 3)
  const blocks = Math.ceil((last - first) / poolRules.rootstock.blockMs)
  expect(shared.filter((call) => !isReceipt(call)).length).toBeLessThanOrEqual(2 * blocks)
  // What was in no block when its request died.
  expect(shared.filter(isReceipt).length).toBeLessThanOrEqual(payments / 4)
  // The hosted service gives 25,000 calls a day.
  const aDay = (asked.length * 24 * 60 * minuteMs) / (payments * minuteMs)
  expect(aDay).toBeLessThan(15_000)
})

test('where nothing is open the node is asked nothing', async () => {
  const { history } = await runPlan({ ...paymentsEachMinute(), items: [] })
  expect(history.asked).toEqual([])
})
