import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, vi } from 'vitest'
import type { KeyStore } from '../../../src/keys/key-store.ts'
import { keyStoreSuite } from '../../ports/key-store.suite.ts'

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
