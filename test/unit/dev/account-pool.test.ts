import { describe, test } from 'vitest'
import {
  type Arrival,
  createAccountPool,
} from '../../../scripts/dev/rootstock-pool/account-pool.ts'
import { poolRefusals } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import type { ModelTransaction } from '../../../scripts/dev/simulator/model/signing.ts'
import { classifyRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

const limits = {
  accountSlots: 4,
  replacementPercent: 40,
  priceCapTimes: 80n,
  evictAfterBlocks: 10,
  evictAfterMs: 650_000,
} as const

const view = (more: Partial<Arrival> = {}): Arrival => ({
  stateNonce: 0,
  balanceWei: 10n ** 18n,
  minGasPriceWei: 100n,
  head: 0,
  nowMs: 0,
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

describe('the pool of an account', () => {
  test('takes a nonce once, and knows the same bytes again', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    expect(pool.add(transaction(0), view())).toBeUndefined()
    expect(pool.add(transaction(0), view())).toBe('known')
    expect(pool.add(transaction(2), view())).toBeUndefined()
    expect(pool.add(transaction(2), view())).toBe('known_queued')
  })

  test('replaces at 40 % more, rounded up, and at no less', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    pool.add(transaction(0, 101n), view())
    expect(pool.add(transaction(0, 141n), view())).toBe('underbid')
    expect(pool.add(transaction(0, 142n), view())).toBeUndefined()
    expect(pool.all().map(({ gasPriceWei }) => gasPriceWei)).toEqual([142n])
  })

  test('holds as many nonces of an account as it has slots', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    expect(pool.add(transaction(3), view())).toBeUndefined()
    expect(pool.add(transaction(4), view())).toBe('nonce_too_high')
    expect(pool.add(transaction(4), view({ stateNonce: 1 }))).toBeUndefined()
    expect(pool.add(transaction(0), view({ stateNonce: 1 }))).toBe('nonce_used')
  })

  test('wants the balance for everything that is pending', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    const poor = view({ balanceWei: 3_000_000n })
    expect(pool.add(transaction(0), poor)).toBeUndefined()
    expect(pool.add(transaction(1), poor)).toBe('poor_for_all')
    expect(pool.add(transaction(1), view({ balanceWei: 2_000_000n }))).toBe('poor')
  })

  test('takes prices from the least to 80 times that', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    expect(pool.add(transaction(0, 99n), view())).toBe('price_too_low')
    expect(pool.add(transaction(0, 8_001n), view())).toBe('price_too_high')
    expect(pool.add(transaction(0, 8_000n), view())).toBeUndefined()
  })

  test('brings what waited up when the one before it comes', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    pool.add(transaction(1), view())
    pool.add(transaction(2), view())
    expect(pool.minable(0)).toEqual([])
    pool.add(transaction(0), view())
    expect(pool.minable(0).map(({ nonce }) => nonce)).toEqual([0, 1, 2])
  })

  test('drops what waited for 10 blocks or 650 s', ({ expect }) => {
    const pool = createAccountPool<ModelTransaction>(limits)
    pool.add(transaction(0), view())
    pool.add(transaction(1), view({ head: 5, nowMs: 100_000 }))
    expect(pool.evict(10, 0)).toEqual([])
    expect(pool.evict(11, 0).map(({ nonce }) => nonce)).toEqual([0])
    expect(pool.evict(11, 750_000).map(({ nonce }) => nonce)).toEqual([1])
  })
})

test("each refusal of a pool is taken by the relay for what it means, in each family's words", ({
  expect,
}) => {
  for (const { means, ...words } of Object.values(poolRefusals)) {
    for (const message of Object.values(words)) {
      expect(classifyRefusal(new RpcError(-32010, message)), message).toBe(means)
    }
  }
})
