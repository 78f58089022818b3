import { describe, expect, test } from 'vitest'
import {
  type Clock,
  shareTimers,
  systemClock,
  withEndingTimeouts,
  withTimeLimit,
} from '../../../src/runtime/clock.ts'

/** Creates a clock whose sleepers the test wakes, or their signal aborts. */
function handClock() {
  const sleepers = new Set<() => void>()
  const clock: Clock = {
    ...systemClock,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(wake)
          resolve()
        }
        sleepers.add(wake)
        signal?.addEventListener('abort', wake)
      }),
  }
  return { clock, sleepers }
}

describe('a time limit that ends with its work', () => {
  test('aborts if the time is over first', async () => {
    const { clock, sleepers } = handClock()
    const work = withEndingTimeouts(clock, async ({ timeout }) => {
      const limit = timeout(5_000)
      for (const wake of sleepers) wake()
      await new Promise((resolve) => limit.addEventListener('abort', resolve))
      throw limit.reason
    })
    await expect(work).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('leaves no timer, and never aborts afterwards', async () => {
    const { clock, sleepers } = handClock()
    const limits = await withEndingTimeouts(clock, async ({ timeout }) => {
      const limits = [timeout(5_000), timeout(1_000)]
      expect(sleepers.size).toBe(2)
      return limits
    })
    await Promise.resolve()
    expect(sleepers.size).toBe(0)
    expect(limits.map(({ aborted }) => aborted)).toEqual([false, false])
    const failing = withEndingTimeouts(clock, async ({ timeout }) => {
      timeout(5_000)
      throw new Error('no answer')
    })
    await expect(failing).rejects.toThrow('no answer')
    expect(sleepers.size).toBe(0)
  })
})

test('work that is done in time leaves no timer, and nothing is done as if it were late', async () => {
  const { clock, sleepers } = handClock()
  let late = 0
  const countLate = () => {
    late += 1
  }
  await withTimeLimit(clock, 5_000, Promise.resolve(), countLate)
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect([sleepers.size, late]).toEqual([0, 0])
  const waiting = withTimeLimit(clock, 5_000, new Promise<void>(() => {}), countLate)
  for (const wake of sleepers) wake()
  await waiting
  expect(late).toBe(1)
})

describe('sleeps that share timers', () => {
  /** Creates a stopped clock that records the time of each timer. */
  function standing() {
    const state = { now: 1_000_000 }
    const timers = new Map<() => void, number>()
    const clock: Clock = {
      ...systemClock,
      now: () => state.now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const wake = () => {
            timers.delete(wake)
            resolve()
          }
          timers.set(wake, state.now + ms)
          signal?.addEventListener('abort', wake)
        }),
    }
    async function pass(ms: number): Promise<void> {
      const end = state.now + ms
      for (;;) {
        const [first] = [...timers].toSorted(([, one], [, other]) => one - other)
        if (first === undefined || first[1] > end) break
        state.now = first[1]
        first[0]()
        // As far as what waits for a sleep goes on with others.
        for (let turns = 0; turns < 5; turns += 1) await Promise.resolve()
      }
      state.now = end
    }
    return { clock, timers, pass }
  }

  test('need few timers, and end on time', async () => {
    const { clock, timers, pass } = standing()
    const { sleep } = shareTimers(clock)
    const late: number[] = []
    for (let begun = 0; begun < 20_000; begun += 1) {
      const ms = [2, 400, 1_000, 4_000, 7_500][begun % 5] ?? 0
      const since = clock.now()
      void sleep(ms).then(() => late.push((clock.now() - since - ms) / Math.max(50, ms)))
      if (begun % 20 === 0) await pass(1)
    }
    expect(timers.size).toBeLessThan(200)
    await pass(8_000)
    expect(late).toHaveLength(20_000)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...late)).toBeLessThanOrEqual(1 / 50)
    expect(timers.size).toBe(0)
  })

  test('end separately when they are aborted, and leave no timer', async () => {
    const { clock, timers, pass } = standing()
    const { sleep } = shareTimers(clock)
    const [ending, other] = [new AbortController(), new AbortController()]
    const woken: string[] = []
    void sleep(1_000, ending.signal).then(() => woken.push('ended'))
    void sleep(1_000, other.signal).then(() => woken.push('slept'))
    await sleep(1_000, AbortSignal.abort())
    ending.abort()
    await Promise.resolve()
    expect([woken, timers.size]).toEqual([['ended'], 1])
    await pass(1_020)
    expect([woken, timers.size]).toEqual([['ended', 'slept'], 0])
    void sleep(1_000, other.signal)
    other.abort()
    await Promise.resolve()
    expect(timers.size).toBe(0)
  })
})
