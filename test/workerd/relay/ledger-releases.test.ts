import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, vi } from 'vitest'
import { type LedgerSteps, ledgerParts } from '../../../src/compose/ledger.ts'
import { createObjectLedger, type LedgerStub } from '../../../src/relay/ledger/stores/object.ts'
import stored from '../../fixtures/release-1.0.0/sqlite.sql?raw'
import told from '../../fixtures/release-1.0.0/sqlite.sql.json'
import { releaseSuite, type Told } from '../../support/release/release.suite.ts'
import { storeRelease } from '../support/stored-release.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: told.at })
})
afterEach(() => {
  vi.useRealTimers()
})

let objects = 0
async function openObject(): Promise<LedgerStub<LedgerSteps>> {
  objects += 1
  const stub = env.LEDGER.getByName(`release ${objects}`) as unknown as LedgerStub<LedgerSteps> &
    DurableObjectStub
  await storeRelease(stub, stored)
  return stub
}

describe('release 1.0.0', () => {
  releaseSuite('a Durable Object', async () => {
    const stub = await openObject()
    return {
      ledger: createObjectLedger(ledgerParts.steps, () => stub),
      told: told as unknown as Told,
    }
  })
})
