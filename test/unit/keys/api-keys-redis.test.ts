import { afterAll, beforeAll, describe } from 'vitest'
import { type RedisBridge, startRedisBridge } from '../../../scripts/dev/redis/bridge.ts'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '../../../scripts/dev/redis/redis-server.ts'
import { createRedisKeys } from '../../../src/keys/api-keys-redis.ts'
import type { KeyStore } from '../../../src/keys/key-store.ts'
import { ledgerRules } from '../../../src/relay/ledger/port.ts'
import { openRedis } from '../../../src/runtime/redis.ts'
import { keyStoreSuite } from '../../ports/key-store.suite.ts'
import { type ProcessClient, startProcessClient } from '../../support/redis/process-client.ts'

describe.skipIf(!hasRedisServer())('on a real Redis with the keys of a cluster', () => {
  let server: RedisServer
  let bridge: RedisBridge
  let other: ProcessClient
  let now = 1_700_000_000_000

  beforeAll(async () => {
    server = await startRedisServer({ mode: 'cluster' })
    bridge = await startRedisBridge({ redisPort: server.port, now: () => now })
    const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
    other = startProcessClient({ address: bridge, rules, relayer: '', tendMs: 1_000 })
  })

  afterAll(async () => {
    await other?.stop()
    await bridge?.stop()
    await server?.stop()
  })

  /** A store that is asked by this process and by another one in turns. */
  function fromTwoProcesses(): KeyStore {
    const own = createRedisKeys(openRedis(bridge))
    let calls = 0
    const inTurns =
      (method: keyof KeyStore) =>
      (...args: unknown[]) => {
        calls += 1
        if (calls % 2 === 0) return other.call({ port: 'keys', name: '', method, args })
        return (own[method] as (...args: unknown[]) => Promise<unknown>)(...args)
      }
    const methods = ['find', 'take', 'create', 'list', 'revoke', 'count'] as const
    return Object.fromEntries(methods.map((method) => [method, inTurns(method)])) as KeyStore
  }

  const harness = (open: () => KeyStore) => async () => {
    await server.empty()
    return {
      store: open(),
      now: () => now,
      pass: (ms: number) => {
        now += ms
      },
    }
  }

  keyStoreSuite(
    'Redis',
    harness(() => createRedisKeys(openRedis(bridge))),
  )

  keyStoreSuite('Redis, asked by two processes', harness(fromTwoProcesses))
})
