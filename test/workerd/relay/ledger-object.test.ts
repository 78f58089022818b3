import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Address } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import { parseConfig } from '../../../src/compose/config.ts'
import type { LedgerSteps } from '../../../src/compose/ledger.ts'
import { deriveRelayerAddress } from '../../../src/compose/relay.ts'
import { ledgerRules } from '../../../src/relay/ledger/draft.ts'
import type { LedgerStub } from '../../../src/relay/ledger/stores/object.ts'
import { ledgerSuites } from '../../ports/ledger-store.suite.ts'
import { openObjectLedger } from '../support/object-ledger.ts'

const { maxInFlight, watchBlocks, accountStateMs } = poolRules.rootstock
const yearMs = 365 * 24 * 60 * 60 * 1000
const config = parseConfig(env as unknown as Record<string, unknown>)
const relayer = deriveRelayerAddress(config) as Address
let objects = 0

beforeEach(() => {
  // Alarms are set by this clock and rung by the real one: none rings between a test's steps.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + yearMs })
})
afterEach(() => {
  vi.useRealTimers()
})

const create = async () => {
  objects += 1
  return {
    ledger: openObjectLedger(`suite ${objects}`).ledger,
    rules: { ...ledgerRules, maxInFlight, watchBlocks, accountStateMs },
    relayer,
    pass: (ms: number) => vi.setSystemTime(Date.now() + ms),
  }
}

ledgerSuites('a Durable Object', create)

describe('what an object shows', () => {
  const stubOf = (name: string) =>
    env.LEDGER.getByName(name) as unknown as LedgerStub<LedgerSteps> & DurableObjectStub

  test('is set back also where its rows are of a schema that this version lacks', async () => {
    await runInDurableObject(stubOf('newer'), async (object, state) => {
      const newer = '{"name":"schema","value":"7"}'
      state.storage.sql.exec("UPDATE meta SET row = ? WHERE name = 'schema'", newer)
      const Again = object.constructor as new (...of: unknown[]) => LedgerStub<LedgerSteps>
      const again = new Again(state, env)
      expect(() => again.readVitals()).toThrow('deploy one that knows 7')
      const refused = { kind: 'refused', reason: expect.stringContaining('point-in-time recovery') }
      expect(await again.setBack({ time: Date.now() })).toMatchObject(refused)
    })
  })

  test('is set back only if the platform has its history, and names the reason else', async () => {
    const stub = stubOf('set back')
    for (const to of [{ time: Date.now() }, { bookmark: 'of before' }]) {
      expect(await stub.setBack(to)).toMatchObject({
        ...{ kind: 'refused', reason: expect.stringContaining('point-in-time recovery') },
      })
    }
  })
})
