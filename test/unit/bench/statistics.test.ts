import { describe, test } from 'vitest'
import { median, quantile, ratioOf, spreadOf } from '../../../scripts/bench/statistics.ts'

describe('quantiles', () => {
  test('lie between the values where they fall there, as R and NumPy have them', ({ expect }) => {
    const values = [15, 20, 35, 40, 50]
    expect(quantile(values, 0.4)).toBeCloseTo(29)
    expect(quantile(values, 0.95)).toBeCloseTo(48)
  })

  test('do not depend on the order of the values and leave it as it was', ({ expect }) => {
    const values = [3, 1, 2]
    expect(median(values)).toBe(2)
    expect(values).toEqual([3, 1, 2])
  })

  test('sort by size and not by digits', ({ expect }) => {
    expect(median([9, 10, 100])).toBe(10)
  })

  test('are the ends at 0 and 1, and the value itself where there is one', ({ expect }) => {
    expect(quantile([7, 5, 9], 0)).toBe(5)
    expect(quantile([7, 5, 9], 1)).toBe(9)
    expect(quantile([4], 0.99)).toBe(4)
  })

  test('of nothing are refused, and so are invalid shares', ({ expect }) => {
    expect(() => median([])).toThrow(RangeError)
    expect(() => quantile([1], 1.1)).toThrow(RangeError)
    expect(() => quantile([1], Number.NaN)).toThrow(RangeError)
  })
})

describe('rounds', () => {
  test('come to their median, lowest and highest', ({ expect }) => {
    expect(spreadOf([4, 2, 9])).toEqual({ median: 4, low: 2, high: 9, rounds: 3 })
  })

  test('are compared pair by pair, so that a slow machine slows both', ({ expect }) => {
    // The third round was slow for both.
    expect(ratioOf([10, 12, 40], [20, 20, 80])).toEqual({
      median: 0.5,
      low: 0.5,
      high: 0.6,
      rounds: 3,
    })
  })

  test('without a partner are refused', ({ expect }) => {
    expect(() => ratioOf([1, 2], [1])).toThrow(RangeError)
  })
})
