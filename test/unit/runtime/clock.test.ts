import { describe, expect, test } from 'vitest'
import { type Clock, systemClock, withEndingLimits } from '../../../src/runtime/clock.ts'

/** A clock whose sleepers wake by hand, and are gone when their signal aborts. */
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
  test('aborts when its time is over before', async () => {
    const { clock, sleepers } = handClock()
    const work = withEndingLimits(clock, async ({ timeout }) => {
      const limit = timeout(5_000)
      for (const wake of sleepers) wake()
      await new Promise((resolve) => limit.addEventListener('abort', resolve))
      throw limit.reason
    })
    await expect(work).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('leaves no timer behind, and never aborts after it', async () => {
    const { clock, sleepers } = handClock()
    const limits = await withEndingLimits(clock, async ({ timeout }) => {
      const limits = [timeout(5_000), timeout(1_000)]
      expect(sleepers.size).toBe(2)
      return limits
    })
    await Promise.resolve()
    expect(sleepers.size).toBe(0)
    expect(limits.map(({ aborted }) => aborted)).toEqual([false, false])
    const failing = withEndingLimits(clock, async ({ timeout }) => {
      timeout(5_000)
      throw new Error('no answer')
    })
    await expect(failing).rejects.toThrow('no answer')
    expect(sleepers.size).toBe(0)
  })
})
