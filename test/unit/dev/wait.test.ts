import { describe, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'

describe('until', () => {
  test('looks again until the condition holds', async ({ expect }) => {
    let looks = 0
    await until(async () => ++looks === 3, { everyMs: 1 })
    expect(looks).toBe(3)
  })

  test('gives up with the words that it was given', async ({ expect }) => {
    const late = () => new Error('the chain stands')
    await expect(until(() => false, { everyMs: 1, withinMs: 5, late })).rejects.toThrow(
      'the chain stands',
    )
  })

  test('ends with what fails while it looks', async ({ expect }) => {
    const look = () => Promise.reject(new Error('the process ended'))
    await expect(until(look)).rejects.toThrow('the process ended')
  })
})
