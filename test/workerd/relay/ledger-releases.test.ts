import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, vi } from 'vitest'
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
const newStub = () => {
  objects += 1
  return env.LEDGER.getByName(`release ${objects}`) as unknown as LedgerStub & DurableObjectStub
}

async function openObject(): Promise<LedgerStub> {
  const stub = newStub()
  await storeRelease(stub, stored)
  return stub
}

describe('release 1.0.0', () => {
  releaseSuite('a Durable Object', async () => {
    const [ledger, empty] = [await openObject(), newStub()].map((stub) =>
      createObjectLedger(() => stub),
    )
    if (ledger === undefined || empty === undefined) throw new Error('nothing is open')
    return { ledger, empty, told: told as unknown as Told }
  })
})
