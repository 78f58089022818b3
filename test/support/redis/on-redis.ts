import { afterAll, beforeAll, describe } from 'vitest'
import { isThere } from '../../../scripts/debian.ts'
import { type RedisBridge, startRedisBridge } from '../../../scripts/dev/redis/bridge.ts'
import { type RedisServer, startRedisServer } from '../../../scripts/dev/redis/redis-server.ts'
import type { RedisDatabase } from '../../../src/runtime/redis.ts'
import { usual } from '../../ports/ledger-memory.ts'
import { signByName } from '../../ports/payments.ts'
import type { PortCall } from './client-program.ts'
import { openPatientRedis } from './patient-redis.ts'
import { type ProcessClient, startProcessClient } from './process-client.ts'

/** Holds the ledgers' options, for both processes. */
export const ledgerOptions = { ...usual, roundMs: 1_000 }

/** Holds a real Redis in cluster mode behind Upstash's protocol. */
export type OnRedis = {
  server: () => RedisServer
  bridge: () => RedisBridge
  database: () => RedisDatabase
  /** Has a process of its own begin before the tests do, and asks by it. */
  beginElsewhere: () => (call: PortCall) => Promise<unknown>
}

/** Declares nothing where there is no redis-server. */
const describeWithRedis = isThere('redis-server') ? describe : () => {}

/** Describes what needs a real Redis, by this clock. */
export function describeOnRedis(now: () => number, tests: (redis: OnRedis) => void): void {
  describeWithRedis('on a real Redis with the keys of a cluster', () => {
    let server: RedisServer
    let bridge: RedisBridge
    let other: ProcessClient | undefined

    beforeAll(async () => {
      server = await startRedisServer({ mode: 'cluster' })
      bridge = await startRedisBridge({ redisPort: server.port, now })
    })

    afterAll(async () => {
      await other?.stop()
      await bridge?.stop()
      await server?.stop()
    })

    tests({
      server: () => server,
      bridge: () => bridge,
      database: () => openPatientRedis(bridge),
      beginElsewhere() {
        let client: ProcessClient
        beforeAll(async () => {
          client = startProcessClient({ address: bridge, ...ledgerOptions })
          other = client
          // No test has to wait until it is there.
          await client.call({ port: 'queue', name: 'begins', method: 'take', args: [1] })
        })
        // The other process signs by `signByName` too, since it can be sent no function.
        const toSent = (arg: unknown) => (arg === signByName ? 'signByName' : arg)
        return (call) => client.call({ ...call, args: call.args.map(toSent) })
      },
    })
  })
}

/** Creates a port that is called here and elsewhere in turn, unless it takes a function. */
export function inTurns<Port extends object>(
  own: Port,
  methods: readonly (keyof Port)[],
  elsewhere: (method: keyof Port, args: unknown[]) => Promise<unknown>,
): Port {
  let calls = 0
  const ask = (method: keyof Port, args: unknown[]) => {
    calls += 1
    const canLeave = args.every((arg) => typeof arg !== 'function' || arg === signByName)
    if (calls % 2 === 0 && canLeave) return elsewhere(method, args)
    return (own[method] as (...args: unknown[]) => Promise<unknown>)(...args)
  }
  return Object.fromEntries(
    methods.map((method) => [method, (...args: unknown[]) => ask(method, args)]),
  ) as Port
}
