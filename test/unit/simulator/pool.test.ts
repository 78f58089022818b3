import { describe, test } from 'vitest'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import { createModelPool, type PoolView } from '../../../scripts/dev/simulator/model/pool.ts'
import type { ModelTransaction } from '../../../scripts/dev/simulator/model/signing.ts'

const limits = {
  family: 'rskj',
  slots: 4,
  bumpPercent: 40,
  priceCapTimes: 80n,
  evictAfterBlocks: 10,
  evictAfterMs: 650_000,
} as const

const view = (more: Partial<PoolView> = {}): PoolView => ({
  stateNonce: 0,
  balanceWei: 10n ** 18n,
  minGasPriceWei: 100n,
  head: 0,
  now: 0,
  ...more,
})

const transaction = (nonce: number, gasPriceWei = 100n, gas = 21_000): ModelTransaction => ({
  hash: digest(nonce, gasPriceWei, gas),
  raw: '0x',
  nonce,
  gasPriceWei,
  gas,
  to: `0x${'11'.repeat(20)}`,
  data: '0x',
  requests: [],
})

describe("the model's pool", () => {
  test('takes a nonce once, and knows the same bytes again', ({ expect }) => {
    const pool = createModelPool(limits)
    expect(pool.add(transaction(0), view())).toBeUndefined()
    expect(pool.add(transaction(0), view())).toMatch('pending transaction with same hash')
    expect(pool.add(transaction(2), view())).toBeUndefined()
    expect(pool.add(transaction(2), view())).toMatch('queued transaction with same hash')
  })

  test('replaces at 40 % more, rounded up, and at no less', ({ expect }) => {
    const pool = createModelPool(limits)
    pool.add(transaction(0, 101n), view())
    expect(pool.add(transaction(0, 141n), view())).toMatch('not enough to bump')
    expect(pool.add(transaction(0, 142n), view())).toBeUndefined()
    expect(pool.all().map(({ gasPriceWei }) => gasPriceWei)).toEqual([142n])
  })

  test('holds as many nonces of an account as it has slots', ({ expect }) => {
    const pool = createModelPool(limits)
    expect(pool.add(transaction(3), view())).toBeUndefined()
    expect(pool.add(transaction(4), view())).toMatch('nonce too high')
    expect(pool.add(transaction(4), view({ stateNonce: 1 }))).toBeUndefined()
    expect(pool.add(transaction(0), view({ stateNonce: 1 }))).toMatch('nonce too low')
  })

  test('wants the balance for everything that is pending', ({ expect }) => {
    const pool = createModelPool(limits)
    const poor = view({ balanceWei: 3_000_000n })
    expect(pool.add(transaction(0), poor)).toBeUndefined()
    expect(pool.add(transaction(1), poor)).toMatch('pending and new')
    expect(pool.add(transaction(1), view({ balanceWei: 2_000_000n }))).toBe('insufficient funds')
  })

  test('takes prices from the least to 80 times that', ({ expect }) => {
    const pool = createModelPool(limits)
    expect(pool.add(transaction(0, 99n), view())).toMatch("lower than block's minimum")
    expect(pool.add(transaction(0, 8_001n), view())).toMatch('exceeds cap')
    expect(pool.add(transaction(0, 8_000n), view())).toBeUndefined()
  })

  test('brings what waited up when the one before it comes', ({ expect }) => {
    const pool = createModelPool(limits)
    pool.add(transaction(1), view())
    pool.add(transaction(2), view())
    expect(pool.minable(0)).toEqual([])
    pool.add(transaction(0), view())
    expect(pool.minable(0).map(({ nonce }) => nonce)).toEqual([0, 1, 2])
  })

  test('drops what waited for 10 blocks or 650 s', ({ expect }) => {
    const pool = createModelPool(limits)
    pool.add(transaction(0), view())
    pool.add(transaction(1), view({ head: 5, now: 100_000 }))
    expect(pool.evict(view({ head: 10 }))).toEqual([])
    expect(pool.evict(view({ head: 11 })).map(({ nonce }) => nonce)).toEqual([0])
    expect(pool.evict(view({ head: 11, now: 750_000 })).map(({ nonce }) => nonce)).toEqual([1])
  })
})
