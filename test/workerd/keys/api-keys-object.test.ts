import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { KeyStore } from '../../../src/keys/api-keys.ts'
import stored from '../../fixtures/release-1.0.0/keys.sql?raw'
import told from '../../fixtures/release-1.0.0/sqlite.sql.json'
import { keyStoreSuite } from '../../ports/key-store.suite.ts'
import { storeRelease } from '../support/stored-release.ts'

let objects = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

keyStoreSuite('a Durable Object', async () => {
  objects += 1
  return {
    store: env.KEYS.getByName(`suite ${objects}`) as unknown as KeyStore,
    now: () => Date.now(),
    pass: (ms) => vi.setSystemTime(Date.now() + ms),
  }
})

test('what release 1.0.0 stored of keys and calls is read and counted on', async () => {
  vi.setSystemTime(told.at)
  const stub = env.KEYS.getByName('of release 1.0.0')
  await storeRelease(stub, stored)
  const store = stub as unknown as KeyStore
  const hash = 'f'.repeat(64)
  expect(await store.find(hash)).toMatchObject({ name: 'a wallet', chainId: 31, quota: 1_000 })
  expect(await store.find('e'.repeat(64))).toMatchObject({ methods: ['eth_call', 'eth_chainId'] })
  expect(await store.find('d'.repeat(64))).toBeNull()
  expect((await store.list()).map(({ spentToday }) => spentToday).sort()).toEqual([0, 0, 7])
  expect(await store.take(hash, 994, 0)).toMatchObject({ kind: 'spent' })
  expect(await store.count({ relay: 1, callers: 1 })).toMatchObject({ relay: 4, callers: 5 })
})
