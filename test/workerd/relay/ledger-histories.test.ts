import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import { ledgerParts } from '../../../src/compose/ledger.ts'
import { deriveRelayerAddress } from '../../../src/compose/relay.ts'
import { ledgerRules } from '../../../src/relay/ledger/draft.ts'
import { liveHistory } from '../../ports/ledger-histories.ts'
import { createMemoryLedger, textOf } from '../../ports/ledger-memory.ts'
import { seed as runSeed, times } from '../../support/sample.ts'
import { openObjectLedger } from '../support/object-ledger.ts'

const historyCount = times({ sampled: 2, full: 40 })
const yearMs = 365 * 24 * 60 * 60 * 1000
const { maxInFlight, watchBlocks, accountStateMs } = poolRules.rootstock
const rules = { ...ledgerRules, maxInFlight, watchBlocks, accountStateMs }

beforeEach(() => {
  // The object's clock is the test's; alarms are set by it and rung by the real one: none rings
  // here.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + yearMs })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the same random history', () => {
  const first = runSeed % 1_000_000
  test.for(Array.from({ length: historyCount }, (_, index) => first + index))(
    'has the same answers and rows in memory and in a Durable Object (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      const { stub, ledger } = openObjectLedger(`history ${seed}`)
      const relayer = deriveRelayerAddress(parseConfig(env as unknown as Record<string, unknown>))
      const memory = createMemoryLedger({ rules, relayer, now: Date.now })
      const rowsOfObject = () =>
        runInDurableObject(stub, (_, { storage }) =>
          Object.keys(ledgerParts.tables)
            .flatMap((table) =>
              storage.sql
                .exec<{ row: string }>(`SELECT row FROM ${table}`)
                .toArray()
                .map(({ row }) => textOf(table, JSON.parse(row))),
            )
            .filter((row) => !row.startsWith('meta ') || !row.includes('"schema"')),
        )
      await liveHistory({
        ...{ seed, steps: 150, rules },
        stores: [
          { name: 'memory', ledger: memory.ledger, rows: async () => memory.rows() },
          { name: 'the object', ledger, rows: rowsOfObject },
        ],
        pass: (ms) => vi.setSystemTime(Date.now() + ms),
      })
    },
  )
})
