import { afterEach, beforeEach, describe, vi } from 'vitest'
import stored from '../../fixtures/release-1.0.0/sqlite.sql?raw'
import told from '../../fixtures/release-1.0.0/sqlite.sql.json'
import { releaseSuite, type Told } from '../../support/release/release.suite.ts'
import { openObjectLedger } from '../support/object-ledger.ts'
import { storeRelease } from '../support/stored-release.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: told.at })
})
afterEach(() => {
  vi.useRealTimers()
})

let objects = 0

describe('release 1.0.0', () => {
  releaseSuite('a Durable Object', async () => {
    objects += 1
    const { stub, ledger } = openObjectLedger(`release ${objects}`)
    await storeRelease(stub, stored)
    return { ledger, told: told as unknown as Told }
  })
})
