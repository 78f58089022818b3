import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, vi } from 'vitest'
import { createObjectLedger, type LedgerStub } from '../../../src/relay/ledger/stores/object.ts'
import stored from '../../fixtures/release-1.0.0/sqlite.sql?raw'
import told from '../../fixtures/release-1.0.0/sqlite.sql.json'
import { releaseSuite, type Told } from '../../support/release/release.suite.ts'

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

/** Opens an object with a release's database, and restarts it with today's code. */
async function openObject(): Promise<LedgerStub> {
  const stub = newStub()
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = stored.matchAll(/^CREATE TABLE (\w+)/gm)
    for (const [, name] of tables) sql.exec(`DROP TABLE ${name}`)
    sql.exec(stored)
  })
  await evictDurableObject(stub)
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
