import { test } from 'vitest'
import type { GrantedKey, KeyCheck } from '../../../src/keys/api-keys.ts'
import { feedLimits } from '../../../src/node/feed/sessions.ts'
import { createMemorySockets } from '../../../src/node/feed/sockets-memory.ts'
import { type NodeRouteDeps, nodeRoutes } from '../../../src/node/route.ts'
import { createNodeService } from '../../../src/node/service.ts'
import { type Clock, systemClock } from '../../../src/runtime/clock.ts'

const chainId = 31
const noBackground = () => {}
const noLog = () => {}
const service = createNodeService({
  chainId,
  urls: ['http://127.0.0.1:9'],
  fetch,
  clock: systemClock,
  background: noBackground,
  log: noLog,
})

test('the time after which a spent quota is full again counts from the service clock', async ({
  expect,
}) => {
  const now = Date.UTC(2026, 0, 1, 23, 58, 30)
  const resetAt = new Date(Date.UTC(2026, 0, 2))
  const key: GrantedKey = { ...granted, spend: async () => ({ resetAt }) }
  const routes = routesWith({ clock: { ...systemClock, now: () => now }, key, lookup: key })
  const response = await routes.request('/any-key', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId' }),
  })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('90')
  expect(await response.json()).toMatchObject({ id: 7, error: { code: -32005 } })
})

test('a key that was revoked a moment ago hears so, and not that it has too many connections', async ({
  expect,
}) => {
  const keys = { clock: systemClock, key: granted, lookup: { kind: 'unknown' } as const }
  const sockets = createMemorySockets({
    keeperOf: () => ({
      service,
      urls: [],
      keys: keysOf(keys),
      limits: feedLimits,
      clock: systemClock,
      log: noLog,
    }),
    ending: new AbortController().signal,
    upgrade: () => {
      throw new Error('a connection was accepted')
    },
  })
  const response = await routesWith({ ...keys, sockets }).request('/any-key', {
    headers: { upgrade: 'websocket' },
  })
  expect(response.status).toBe(401)
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32001, message: 'no valid API key' },
  })
})

const granted: GrantedKey = {
  kind: 'granted',
  hash: 'ab'.repeat(32),
  chainId,
  methods: undefined,
  sockets: 20,
  subscriptions: 1_000,
  spend: async () => undefined,
}

/** What the keys say at the request, and what they say of the same key a moment later. */
type KnownKeys = { key: KeyCheck; lookup: KeyCheck }

function keysOf({ key, lookup }: KnownKeys): NodeRouteDeps['keys'] {
  return { check: async () => key, lookup: async () => lookup }
}

function routesWith({
  clock,
  sockets,
  ...keys
}: KnownKeys & { clock: Clock; sockets?: NodeRouteDeps['sockets'] }) {
  return nodeRoutes({
    keys: keysOf(keys),
    services: new Map([[chainId, service]]),
    ...(sockets === undefined ? {} : { sockets }),
    clock,
    background: noBackground,
    log: noLog,
  })
}
