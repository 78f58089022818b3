import { describe, test } from 'vitest'
import { divideRounds, median, quantile, takeTurns } from '../../../scripts/bench/statistics.ts'

describe('quantiles', () => {
  test('lie between the values where they fall there, as R and NumPy have them', ({ expect }) => {
    const values = [15, 20, 35, 40, 50]
    expect(quantile(values, 0.4)).toBeCloseTo(29)
    expect(quantile(values, 0.95)).toBeCloseTo(48)
  })

  test('sort by size and not by digits, and leave the values as they were', ({ expect }) => {
    const values = [100, 9, 10]
    expect(median(values)).toBe(10)
    expect([0, 1].map((share) => quantile(values, share))).toEqual([9, 100])
    expect(values).toEqual([100, 9, 10])
  })

  test('of nothing are refused, and so are invalid shares', ({ expect }) => {
    expect(() => median([])).toThrow(RangeError)
    expect(() => quantile([1], 1.1)).toThrow(RangeError)
    expect(() => quantile([1], Number.NaN)).toThrow(RangeError)
  })
})

test('rounds are compared pair by pair, and refused without a partner', ({ expect }) => {
  // The third round was slow for both.
  expect(divideRounds([10, 12, 40], [20, 20, 80])).toEqual([0.5, 0.6, 0.5])
  expect(() => divideRounds([1, 2], [1])).toThrow(RangeError)
})

test('turns go backwards in every second round', async ({ expect }) => {
  const order: string[] = []
  const take = async (name: string) => order.push(name)
  expect(await takeTurns(['a', 'b'], 2, take)).toEqual({ a: [1, 4], b: [2, 3] })
  expect(order).toEqual(['a', 'b', 'b', 'a'])
})
