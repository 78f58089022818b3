import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { type AccountStub, createObjectMemory } from '../../../src/account/memory-object.ts'
import stored from '../../fixtures/release-1.0.0/account.sql?raw'
import told from '../../fixtures/release-1.0.0/sqlite.sql.json'
import { memorySuite } from '../../ports/memory.suite.ts'
import { storeRelease } from '../support/stored-release.ts'

const getStub = (account: string) => env.ACCOUNTS.getByName(account)

memorySuite('a Durable Object', () =>
  createObjectMemory((account) => getStub(account) as unknown as AccountStub),
)

test('what release 1.0.0 stored of an account is read and replaced', async () => {
  const stub = getStub('of release 1.0.0')
  await storeRelease(stub, stored)
  const account = stub as unknown as AccountStub
  expect(await account.load()).toMatchObject({ row: told.memory[0]?.[1], version: 2 })
  expect([await account.save('{}', 1), await account.save('{}', 2)]).toEqual([false, true])
})
