import { test as base, describe, expect } from 'vitest'
import type { KeyRecord, KeyStore } from '../../src/keys/api-keys.ts'

/** Holds a fresh store and controls its clock. */
type KeyStoreHarness = { store: KeyStore; now: () => number; pass: (ms: number) => void }

const dayMs = 86_400_000
const [a, b] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string]

const recordOf = (digit: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
  hash: digit.repeat(64),
  name: `key ${digit}`,
  chainId: 31,
  quota: 100,
  methods: null,
  createdAt: 1_700_000_000_000,
  revokedAt: null,
  ...more,
})

/** Tests what every store of API keys promises. */
export function keyStoreSuite(name: string, create: () => Promise<KeyStoreHarness>): void {
  const test = base
    .extend('harness', create)
    .extend('store', ({ harness }) => harness.store)
    .extend('now', ({ harness }) => harness.now)
    .extend('pass', ({ harness }) => harness.pass)
  describe(`API keys on ${name}`, () => {
    test('are found as they were made, once', async ({ store }) => {
      const made = recordOf('a', { methods: ['eth_call', 'eth_chainId'], quota: null })
      expect(await store.create(made)).toBe(true)
      expect(await store.create({ ...made, name: 'another' })).toBe(false)
      expect(await store.find(made.hash)).toMatchObject(made)
      expect(await store.find(b)).toBeNull()
    })

    test('are revoked by the start of their hash, once', async ({ store }) => {
      for (const digit of ['a', 'b']) await store.create(recordOf(digit))
      expect(await store.revoke('aaaaaaaa')).toBe(1)
      expect(await store.revoke('aaaaaaaa')).toBe(0)
      expect(await store.revoke('cccccccc')).toBe(0)
      expect(await store.find(a)).toBeNull()
      expect(await store.find(b)).not.toBeNull()
      expect(await store.take(a, 1, 0)).toMatchObject({ kind: 'spent' })
    })

    test("are counted beside the day's node calls, by caller", async ({ store, now, pass }) => {
      const resetAt = (Math.floor(now() / dayMs) + 1) * dayMs
      expect(await store.count({ relay: 3, callers: 0 })).toEqual({ relay: 3, callers: 0, resetAt })
      await Promise.all([
        store.count({ relay: 1, callers: 20 }),
        store.count({ relay: 0, callers: 5 }),
      ])
      expect(await store.count({ relay: 0, callers: 0 })).toMatchObject({ relay: 4, callers: 25 })
      pass(dayMs)
      const next = { relay: 1, callers: 0 }
      expect(await store.count(next)).toEqual({ ...next, resetAt: resetAt + dayMs })
    })

    test('are listed with what they have spent, oldest first', async ({ store, now }) => {
      await store.create(recordOf('b', { createdAt: 2 }))
      await store.create(recordOf('a', { createdAt: 1 }))
      await store.take(b, 7, 0)
      await store.revoke(a)
      expect(await store.list()).toMatchObject([
        { name: 'key a', spentToday: 0, revokedAt: now() },
        { name: 'key b', spentToday: 7, revokedAt: null },
      ])
    })

    test('spend all of a batch or nothing', async ({ store }) => {
      await store.create(recordOf('a', { quota: 10 }))
      expect(await store.take(a, 8, 0)).toMatchObject({ kind: 'taken', calls: 8 })
      expect(await store.take(a, 3, 0)).toMatchObject({ kind: 'spent' })
      expect(await store.take(a, 2, 0)).toMatchObject({ kind: 'taken', calls: 2 })
      expect(await store.take(a, 1, 0)).toMatchObject({ kind: 'spent' })
    })

    test('spend no more than their quota, however many ask at once', async ({ store }) => {
      await store.create(recordOf('a', { quota: 25 }))
      const all = await Promise.all(Array.from({ length: 40 }, () => store.take(a, 1, 3)))
      const calls = all.map((taken) => (taken.kind === 'taken' ? taken.calls : 0))
      expect(calls.reduce((sum, each) => sum + each, 0)).toBe(25)
    })

    test('reserve calls in advance while their quota is far from spent', async ({ store }) => {
      await store.create(recordOf('a', { quota: 100 }))
      expect(await store.take(a, 1, 4)).toMatchObject({ kind: 'taken', calls: 5 })
      expect(await store.take(a, 1, 5)).toMatchObject({ kind: 'taken', calls: 1 })
    })

    test('start again each day', async ({ store, now, pass }) => {
      await store.create(recordOf('a', { quota: 10 }))
      const midnight = (Math.floor(now() / dayMs) + 1) * dayMs
      const spent = { kind: 'taken', calls: 10, resetAt: midnight }
      expect(await store.take(a, 10, 0)).toEqual(spent)
      pass(midnight - 1 - now())
      expect(await store.take(a, 1, 0)).toEqual({ kind: 'spent', resetAt: midnight })
      pass(1)
      expect(await store.take(a, 1, 0)).toMatchObject({ kind: 'taken', resetAt: midnight + dayMs })
    })

    test('without a quota are not counted', async ({ store }) => {
      await store.create(recordOf('a', { quota: null }))
      expect(await store.take(a, 1_000_000, 0)).toMatchObject({ kind: 'taken' })
      expect((await store.list())[0]?.spentToday).toBe(0)
    })
  })
}
