import { afterAll, beforeAll, describe, test } from 'vitest'
import { type RedisBridge, startRedisBridge } from '../../../../scripts/dev/redis/bridge.ts'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '../../../../scripts/dev/redis/redis-server.ts'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { type TableName, tables } from '../../../../src/relay/ledger/rows.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import { createRedisLedger, ledgerKey } from '../../../../src/relay/ledger/stores/redis.ts'
import { createSqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import { openRedis } from '../../../../src/runtime/redis.ts'
import { type HistoryStore, liveHistory } from '../../../ports/ledger-histories.ts'
import { createMemoryLedger, textOf } from '../../../ports/ledger-memory.ts'
import { seed as runSeed, times } from '../../../support/sample.ts'

const historyCount = times({ sampled: 4, full: 60 })
const stepCount = 150
const relayer = '0x9999999999999999999999999999999999999999'
const rules = { ...ledgerRules, maxInFlight: 4, maxAttempts: 3, watchBlocks: 3, meansMs: 100_000 }

let server: RedisServer
let bridge: RedisBridge
let now = 1_700_000_000_000

function memory(): HistoryStore {
  const { ledger, rows } = createMemoryLedger({ rules, relayer, now: () => now })
  return { name: 'memory', ledger, rows: async () => rows() }
}

function sqlite(): HistoryStore {
  const sql = openSqlite()
  const ledger = createSqlLedger(sql, { rules, relayer, now: () => now })
  const rowsOf = (table: TableName) =>
    sql
      .exec<{ row: string }>(`SELECT row FROM ${table}`)
      .map(({ row }) => textOf(table, JSON.parse(row)))
  return {
    name: 'SQLite',
    ledger: ledgerThrough(async (method, args) =>
      (ledger[method] as (...args: unknown[]) => unknown)(...args),
    ),
    rows: async () =>
      (Object.keys(tables) as TableName[]).flatMap(rowsOf).filter((row) => !isSchema(row)),
  }
}

function redis(name: string): HistoryStore {
  const options = { name, rules, relayer, tendMs: 1_000 }
  const prefix = `${ledgerKey(name)}:row:`
  return {
    name: 'Redis',
    ledger: createRedisLedger({ database: openRedis(bridge), ...options }),
    async rows() {
      const keys = (await server.call('KEYS', `${prefix}*`)) as string[]
      const found = await Promise.all(
        keys.map(async (key) => {
          const row = `${await server.call('GET', key)}`
          const [table = ''] = key.slice(prefix.length).split(':')
          return textOf(table, JSON.parse(row.slice(row.indexOf(' '))))
        }),
      )
      return found.filter((row) => !isSchema(row))
    },
  }
}

const isSchema = (row: string): boolean => row.startsWith('meta ') && row.includes('"schema"')

describe.skipIf(!hasRedisServer())('the same random history', () => {
  beforeAll(async () => {
    server = await startRedisServer({ mode: 'cluster' })
    bridge = await startRedisBridge({ redisPort: server.port, now: () => now })
  })

  afterAll(async () => {
    await bridge?.stop()
    await server?.stop()
  })

  const first = runSeed % 1_000_000
  test.for(Array.from({ length: historyCount }, (_, index) => first + index))(
    'has the same answers and leaves the same rows in memory, on SQLite and on Redis (seed %i)',
    { timeout: 60_000 },
    async (seed, { expect }) => {
      const stores = [memory(), sqlite(), redis(`31:history ${seed}`)]
      const pass = (ms: number) => {
        now += ms
      }
      await liveHistory({ seed, steps: stepCount, rules, stores, pass, expect })
    },
  )
})
