import { describe, test } from 'vitest'
import { createActors } from '../../../scripts/dev/simulator/actors.ts'
import { createScheduler } from '../../../scripts/dev/simulator/scheduler.ts'

describe('virtual time', () => {
  test('lets events happen by their times, and equal ones as they were made', async ({
    expect,
  }) => {
    const scheduler = createScheduler(0)
    const happened: string[] = []
    for (const [name, time] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
      ['late', 99],
    ] as const) {
      scheduler.at(time, () => happened.push(`${name} at ${scheduler.now()}`))
    }
    scheduler.at(15, () => happened.push('cancelled')).cancel()
    await scheduler.runUntil(50)
    expect(happened).toEqual(['a at 10', 'b1 at 20', 'b2 at 20', 'c at 30'])
    expect(scheduler.now()).toBe(50)
  })

  test('runs all that promises made ready before the next event', async ({ expect }) => {
    const scheduler = createScheduler(0)
    const happened: string[] = []
    scheduler.at(1, () => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => happened.push('promise'))
    })
    scheduler.at(2, () => happened.push('event'))
    await scheduler.runUntil(2)
    expect(happened).toEqual(['promise', 'event'])
  })
})

describe('an actor', () => {
  function stage() {
    const scheduler = createScheduler(0)
    const actors = createActors(scheduler)
    const clock = actors.clock(0)
    const woke: number[] = []
    const actor = actors.create('an actor', () => {})
    const sleep = (ms: number) =>
      actors.run(actor, () => clock.sleep(ms)).then(() => woke.push(scheduler.now()))
    return { scheduler, actor, woke, sleep }
  }

  test('that has died never goes on', async ({ expect }) => {
    const { scheduler, actor, woke, sleep } = stage()
    scheduler.at(0, () => void sleep(10))
    scheduler.at(5, () => {
      actor.isAlive = false
    })
    await scheduler.runUntil(100)
    expect(woke).toEqual([])
  })

  test('that stalls goes on when it is over', async ({ expect }) => {
    const { scheduler, actor, woke, sleep } = stage()
    scheduler.at(0, () => void sleep(10))
    scheduler.at(5, () => {
      actor.stalledUntil = 40
    })
    await scheduler.runUntil(100)
    expect(woke).toEqual([40])
  })

  test('has a signal that aborts at its time', async ({ expect }) => {
    const scheduler = createScheduler(0)
    const signal = createActors(scheduler).clock(0).timeout(10)
    const aborted: number[] = []
    signal.addEventListener('abort', () => aborted.push(scheduler.now()))
    expect(signal.aborted).toBe(false)
    await scheduler.runUntil(100)
    expect(aborted).toEqual([10])
    expect(signal.aborted).toBe(true)
  })
})
