import { describe, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { cached } from '../../../src/relay/cached.ts'

/** A question whose answers are given one by one, and whose clock is moved by hand. */
function stage() {
  let now = 0
  const questions: PromiseWithResolvers<number>[] = []
  const sleepers: { until: number; wake: () => void }[] = []
  const clock = {
    ...systemClock,
    now: () => now,
    sleep: (ms: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ until: now + ms, wake })
      }),
  }
  const get = cached(clock, 1_000, () => {
    const question = Promise.withResolvers<number>()
    questions.push(question)
    return question.promise
  })
  const pass = (ms: number) => {
    now += ms
    for (const { until, wake } of sleepers) if (until <= now) wake()
  }
  return { get, pass, questions }
}

describe('a cached answer', () => {
  test('is one question for all who ask at a time, and for those who ask soon after', async ({
    expect,
  }) => {
    const { get, pass, questions } = stage()
    const all = [get(), get(), get()]
    questions[0]?.resolve(7)
    expect(await Promise.all(all)).toEqual([7, 7, 7])
    pass(999)
    expect(await get()).toBe(7)
    expect(questions).toHaveLength(1)
    pass(1)
    const later = get()
    questions[1]?.resolve(8)
    expect(await later).toBe(8)
  })

  test('that never comes is asked for again by those who joined, once for all of them', async ({
    expect,
  }) => {
    const { get, pass, questions } = stage()
    void get()
    const joined = [get(), get()]
    pass(2_000)
    await expect.poll(() => questions.length).toBe(2)
    questions[1]?.resolve(8)
    expect(await Promise.all(joined)).toEqual([8, 8])
  })

  test('that fails fails its asker; whoever had joined asks again, once', async ({ expect }) => {
    const { get, questions } = stage()
    const first = get()
    const joined = [get(), get()]
    questions[0]?.reject(new Error('no answer'))
    await expect(first).rejects.toThrow('no answer')
    await expect.poll(() => questions.length).toBe(2)
    questions[1]?.reject(new Error('none again'))
    await expect(joined[0]).rejects.toThrow('none again')
    await expect(joined[1]).rejects.toThrow('none again')
    expect(questions).toHaveLength(2)
  })
})
