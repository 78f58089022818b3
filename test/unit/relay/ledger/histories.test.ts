import { test } from 'vitest'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { ledgerParts } from '../../../../src/compose/ledger.ts'
import { ledgerRules } from '../../../../src/relay/ledger/draft.ts'
import { createRedisLedger, getKeyPrefix } from '../../../../src/relay/ledger/stores/redis.ts'
import { type HistoryStore, liveHistory } from '../../../ports/ledger-histories.ts'
import { createMemoryLedger, textOf } from '../../../ports/ledger-memory.ts'
import { openSqlLedger } from '../../../support/deployment.ts'
import { describeOnRedis, type OnRedis } from '../../../support/redis/on-redis.ts'
import { seed as runSeed, times } from '../../../support/sample.ts'

const historyCount = times({ sampled: 4, full: 60 })
const stepCount = 150
const relayer = '0x9999999999999999999999999999999999999999'
const rules = {
  ...ledgerRules,
  maxInFlight: 4,
  maxAttempts: 3,
  watchBlocks: 3,
  accountStateMs: 100_000,
  tellsEvents: true,
}

let now = 1_700_000_000_000
const clock = () => now

function memory(): HistoryStore {
  const { ledger, rows } = createMemoryLedger({ rules, relayer, now: () => now })
  return { name: 'memory', ledger, rows: async () => rows() }
}

function sqlite(): HistoryStore {
  const sql = openSqlite()
  const rowsOf = (table: string) =>
    sql
      .exec<{ row: string }>(`SELECT row FROM ${table}`)
      .map(({ row }) => textOf(table, JSON.parse(row)))
  return {
    name: 'SQLite',
    ledger: openSqlLedger(sql, { rules, relayer, now: () => now }),
    rows: async () =>
      Object.keys(ledgerParts.tables)
        .flatMap(rowsOf)
        .filter((row) => !isSchema(row)),
  }
}

function redis({ server, database }: OnRedis, name: string): HistoryStore {
  const options = { name, rules, relayer, roundMs: 1_000, steadyMs: clock }
  const prefix = `${getKeyPrefix(name)}:row:`
  return {
    name: 'Redis',
    ledger: createRedisLedger({ ...ledgerParts, database: database(), ...options }),
    async rows() {
      const keys = (await server().call('KEYS', `${prefix}*`)) as string[]
      const found = await Promise.all(
        keys.map(async (key) => {
          const row = `${await server().call('GET', key)}`
          const [table = ''] = key.slice(prefix.length).split(':')
          return textOf(table, JSON.parse(row.slice(row.indexOf(' '))))
        }),
      )
      return found.filter((row) => !isSchema(row))
    },
  }
}

const isSchema = (row: string): boolean => row.startsWith('meta ') && row.includes('"schema"')

describeOnRedis(clock, (onRedis) => {
  const first = runSeed % 1_000_000
  test.for(Array.from({ length: historyCount }, (_, index) => first + index))(
    'a random history has the same answers and rows in memory, on SQLite and on Redis (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      const stores = [memory(), sqlite(), redis(onRedis, `31:history ${seed}`)]
      const pass = (ms: number) => {
        now += ms
      }
      await liveHistory({ seed, steps: stepCount, rules, stores, pass })
    },
  )
})
