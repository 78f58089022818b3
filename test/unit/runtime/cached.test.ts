import { describe, expect, test } from 'vitest'
import { cached } from '../../../src/runtime/cached.ts'
import { createStandingClock } from '../../support/hand-clock.ts'

/** Creates a cached question with answers and a clock under the test's control. */
function stage() {
  const questions: PromiseWithResolvers<number>[] = []
  const { clock, pass } = createStandingClock()
  const get = cached(clock, 1_000, () => {
    const question = Promise.withResolvers<number>()
    questions.push(question)
    return question.promise
  })
  return { get, pass, questions }
}

describe('a cached answer', () => {
  test('is one request for all who ask together or soon after', async () => {
    const { get, pass, questions } = stage()
    const all = [get(), get(), get()]
    questions[0]?.resolve(7)
    await pass(20)
    expect(await Promise.all(all)).toEqual([7, 7, 7])
    await pass(979)
    expect(await get()).toBe(7)
    expect(questions).toHaveLength(1)
    await pass(1)
    const later = get()
    questions[1]?.resolve(8)
    expect(await later).toBe(8)
  })

  test('that never comes is requested again by those who joined, once for all', async () => {
    const { get, pass, questions } = stage()
    void get()
    const joined = [get(), get()]
    await pass(1_999)
    expect(questions).toHaveLength(1)
    await pass(1)
    expect(questions).toHaveLength(2)
    questions[1]?.resolve(8)
    await pass(20)
    expect(await Promise.all(joined)).toEqual([8, 8])
  })

  test('that fails, fails for its requester; those who had joined request it again once', async () => {
    const { get, pass, questions } = stage()
    const first = get()
    const joined = [get(), get()]
    questions[0]?.reject(new Error('no answer'))
    await expect(first).rejects.toThrow('no answer')
    await pass(20)
    expect(questions).toHaveLength(2)
    questions[1]?.reject(new Error('none again'))
    const ends = Promise.allSettled(joined)
    await pass(20)
    const failed = { status: 'rejected', reason: new Error('none again') }
    expect(await ends).toEqual([failed, failed])
    expect(questions).toHaveLength(2)
  })
})
