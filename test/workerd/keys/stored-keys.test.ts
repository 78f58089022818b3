import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import type { KeyRecord, KeyStore, Keys } from '../../../src/keys/api-keys.ts'
import { createConfigKeys, createStoredKeys } from '../../../src/keys/stored-keys.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { systemClock } from '../../../src/runtime/clock.ts'

let keys = 0
/** The hash of the key of a test. */
let key: string
let now: number

beforeEach(async () => {
  keys += 1
  key = hashKey(`key ${keys}`)
  now = Date.now()
})

function store(): KeyStore {
  return env.KEYS.getByName('of the tests') as unknown as KeyStore
}

async function createKey(more: Partial<KeyRecord>): Promise<string> {
  const rights = { chainId: 31, quota: null, methods: null }
  await store().create({ hash: key, name: 'x', createdAt: 0, revokedAt: null, ...rights, ...more })
  return key
}

/** Creates an isolate's keys, and counts its requests to the store. */
function isolate(): { keys: Keys; asked: () => number } {
  let asked = 0
  const clock = { ...systemClock, now: () => now }
  const configured = createConfigKeys([], 31)
  const counted = (): KeyStore => {
    asked += 1
    return store()
  }
  return { keys: createStoredKeys(counted, configured, clock), asked: () => asked }
}

async function spend(keys: Keys, calls = 1): Promise<boolean> {
  const check = await keys.lookup(key)
  if (check.kind === 'unknown') throw new Error('there is no such key')
  return (await check.spend(calls)) === undefined
}

test('a revoked key ends within 60 s in an isolate that knows it', async () => {
  const hash = await createKey({})
  const { keys, asked } = isolate()
  expect((await keys.lookup(key)).kind).toBe('granted')
  await store().revoke(hash.slice(0, 12))
  now += 1_000
  expect((await keys.lookup(key)).kind).toBe('granted')
  expect(asked()).toBe(1)
  now += 59_000
  expect((await keys.lookup(key)).kind).toBe('unknown')
})

test('an unknown key costs one look-up, however often it is used', async () => {
  const { keys, asked } = isolate()
  for (let count = 0; count < 20; count += 1) {
    expect((await keys.lookup('nothing')).kind).toBe('unknown')
  }
  expect(asked()).toBe(1)
})

test('calls are reserved in advance while much of a quota is left, so most calls need no request', async () => {
  const hash = await createKey({ quota: 25_000 })
  const { keys, asked } = isolate()
  for (let count = 0; count < 1_000; count += 1) expect(await spend(keys)).toBe(true)
  expect(asked()).toBeLessThan(30)
  const listed = (await store().list()).find((one) => one.hash === hash)
  expect(listed?.spentToday).toBeGreaterThanOrEqual(1_000)
  expect(listed?.spentToday).toBeLessThan(1_100)
})

test('two isolates together never spend more than the quota, and nearly all of it', async () => {
  await createKey({ quota: 300 })
  const views = [isolate(), isolate()]
  let spent = 0
  for (let count = 0; count < 400; count += 1) {
    const { keys } = views[count % 2] ?? isolate()
    if (await spend(keys)) spent += 1
  }
  expect(spent).toBeLessThanOrEqual(300)
  expect(spent).toBeGreaterThan(280)
})
