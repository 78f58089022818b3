import { describe, expect, test } from 'vitest'
import { shareTimers, withEndingTimeouts, withTimeLimit } from '../../../src/runtime/clock.ts'
import { createStandingClock } from '../../support/hand-clock.ts'

describe('a time limit that ends with its work', () => {
  test('aborts if the time is over first', async () => {
    const { clock, timers } = createStandingClock()
    const work = withEndingTimeouts(clock, async ({ timeout }) => {
      const limit = timeout(5_000)
      for (const wake of timers.keys()) wake()
      await new Promise((resolve) => limit.addEventListener('abort', resolve))
      throw limit.reason
    })
    await expect(work).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('leaves no timer, and never aborts afterwards', async () => {
    const { clock, timers } = createStandingClock()
    const limits = await withEndingTimeouts(clock, async ({ timeout }) => {
      const limits = [timeout(5_000), timeout(1_000)]
      expect(timers.size).toBe(2)
      return limits
    })
    await Promise.resolve()
    expect(timers.size).toBe(0)
    expect(limits.map(({ aborted }) => aborted)).toEqual([false, false])
    const failing = withEndingTimeouts(clock, async ({ timeout }) => {
      timeout(5_000)
      throw new Error('no answer')
    })
    await expect(failing).rejects.toThrow('no answer')
    expect(timers.size).toBe(0)
  })
})

test('work that is done in time leaves no timer, and nothing is done as if it were late', async () => {
  const { clock, timers } = createStandingClock()
  let late = 0
  const countLate = () => {
    late += 1
  }
  await withTimeLimit(clock, 5_000, Promise.resolve(), countLate)
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect([timers.size, late]).toEqual([0, 0])
  const waiting = withTimeLimit(clock, 5_000, new Promise<void>(() => {}), countLate)
  for (const wake of timers.keys()) wake()
  await waiting
  expect(late).toBe(1)
})

describe('sleeps that share timers', () => {
  test('need few timers, and end on time', async () => {
    const { clock, timers, pass } = createStandingClock()
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
    const { clock, timers, pass } = createStandingClock()
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
