import { expect, test } from 'vitest'
import type { DailyCalls } from '../../../../src/keys/api-keys.ts'
import { createUpstreamBudget, limitByBudget } from '../../../../src/node/upstream/budget.ts'
import { systemClock } from '../../../../src/runtime/clock.ts'
import type { LogEvent } from '../../../../src/runtime/log.ts'
import { granted } from '../scripted-node.ts'

const dayMs = 86_400_000

/** Processes that share a store, in a time of their own. */
function deployment(limits = { callsADay: 100, relayReserve: 30 }) {
  const world = { now: 20_000 * dayMs + 5_000, isDown: false }
  const events: LogEvent[] = []
  let stored = { relay: 0, callers: 0, day: 0 }
  const store = {
    async count({ relay, callers }: DailyCalls) {
      if (world.isDown) throw new Error('the store is down')
      const day = Math.floor(world.now / dayMs)
      const before = stored.day === day ? stored : { relay: 0, callers: 0 }
      stored = { day, relay: before.relay + relay, callers: before.callers + callers }
      return { relay: stored.relay, callers: stored.callers, resetAt: (day + 1) * dayMs }
    },
  }
  const clock = { ...systemClock, now: () => world.now, sleep: async () => {} }
  function process() {
    let told: Promise<unknown> = Promise.resolve()
    const budget = createUpstreamBudget({
      ...{ store: () => store, limits, clock, log: (event) => void events.push(event) },
      waitUntil: (work) => {
        told = work
      },
    })
    return { budget, settle: async () => await told }
  }
  return { world, process, events, total: () => stored }
}

test("callers have what the relay's reserve leaves, in all processes together", async () => {
  const { process, world } = deployment()
  const [one, other] = [process(), process()]
  one.budget.count('callers', 40)
  await one.settle()
  other.budget.count('callers', 29)
  await other.settle()
  expect(other.budget.findResetTime()).toBeUndefined()
  other.budget.count('callers', 1)
  expect(other.budget.findResetTime()).toBe(20_001 * dayMs)
  await other.settle()
  // The other one learns it with its next calls.
  one.budget.count('callers', 1)
  await one.settle()
  expect(one.budget.findResetTime()).toBe(20_001 * dayMs)
  // What asks without a key's quota is kept back too, and the relay is not.
  expect(() => one.budget.count('callers', 1)).toThrow('used up')
  one.budget.count('relay', 1)
  world.now += dayMs
  expect(one.budget.findResetTime()).toBeUndefined()
  expect(one.budget.getCallsToday().callers).toBe(0)
})

test('a relay that needs more than its reserve takes it from what callers have not used', async () => {
  const { process } = deployment()
  const { budget, settle } = process()
  budget.count('relay', 60)
  budget.count('callers', 39)
  await settle()
  expect(budget.findResetTime()).toBeUndefined()
  budget.count('relay', 1)
  expect(budget.findResetTime()).toBeDefined()
})

test('the operator is alerted once when four fifths of a day are used', async () => {
  const { process, events } = deployment()
  const processes = [process(), process()]
  for (let turn = 0; turn < 50; turn++) {
    for (const { budget, settle } of processes) {
      budget.count('relay', 1)
      await settle()
    }
  }
  expect(events).toEqual([
    expect.objectContaining({ level: 'warn', event: 'upstream.budget', relay: 80, used: 80 }),
  ])
})

test('calls whose report failed are reported with the next ones', async () => {
  const { process, world, total } = deployment()
  const { budget, settle } = process()
  world.isDown = true
  budget.count('relay', 5)
  await settle()
  world.isDown = false
  budget.count('callers', 2)
  await settle()
  expect(total()).toMatchObject({ relay: 5, callers: 2 })
})

test('a key with a quota left is refused where the budget is used up, on its chain alone', async () => {
  const { process } = deployment()
  const { budget } = process()
  const spend = async (chainId: number) => {
    const key = { ...granted, chainId }
    const checked = await limitByBudget({ lookup: async () => key }, budget, 31).lookup('')
    return checked.kind === 'granted' ? await checked.spend(1) : checked.kind
  }
  expect(await spend(31)).toBeUndefined()
  budget.count('callers', 70)
  expect(await spend(31)).toMatchObject({ resetAt: expect.any(Date) })
  expect(await spend(30)).toBeUndefined()
})
