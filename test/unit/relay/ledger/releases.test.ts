import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { createRedisMemory } from '../../../../src/account/memory-redis.ts'
import { ledgerParts } from '../../../../src/compose/ledger.ts'
import { createRedisKeys } from '../../../../src/keys/api-keys-redis.ts'
import { createRedisLedger } from '../../../../src/relay/ledger/stores/redis.ts'
import { usual } from '../../../ports/ledger-memory.ts'
import {
  type Deployment,
  type DeploymentOptions,
  type LedgerOptions,
  openDeployment,
  openSqlLedger,
} from '../../../support/deployment.ts'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { describeOnRedis, ledgerOptions } from '../../../support/redis/on-redis.ts'
import { releaseSuite, type Told } from '../../../support/release/release.suite.ts'
import { readStored, readTold, releases } from '../../../support/release/told.ts'

/** Opens what was configured as a release was, at its time, before nodes that do not answer. */
function openThen(told: Told, stores: Pick<DeploymentOptions, 'ledger' | 'memory'>): Deployment {
  return openDeployment({
    ...stores,
    variables: { ...told.variables, NODE_URL: 'http://127.0.0.1:9' },
    time: { ahead: told.at - Date.now() },
    fetch: async () => {
      throw new Error('no node is there')
    },
  })
}

async function expectSameScreens({ ask }: Deployment, { dialled }: Told): Promise<void> {
  for (const { screen, phone, ...given } of dialled) {
    const body = new URLSearchParams({ ...given, phoneNumber: phone })
    expect((await ask('/ussd', { method: 'POST', body })).body).toBe(screen)
  }
}

describe.for(releases)('release %s', (release) => {
  const relayerIn = ({ exported: [head] }: Told) => head.fingerprints.RELAYER_MNEMONIC ?? ''

  describe('on SQLite', () => {
    const told = readTold(release, 'sqlite.sql')
    const opened = () => {
      const sql = openSqlite()
      for (const statement of readStored(release, 'sqlite.sql')) sql.exec(statement)
      return sql
    }
    const now = () => told.at

    releaseSuite('SQLite', async () => {
      const options = { ...usual, relayer: relayerIn(told), now }
      return { ledger: openSqlLedger(opened(), options), told }
    })

    test("repeats each caller's screen byte for byte", async () => {
      const memory = createMemoryStore(now)
      for (const [account, row] of told.memory) await memory.save(account, row, 0)
      const ledger: DeploymentOptions['ledger'] = (options) => openSqlLedger(opened(), options)
      await expectSameScreens(openThen(told, { ledger, memory: () => memory }), told)
    })
  })

  const told = readTold(release, 'redis.jsonl')
  describeOnRedis(
    () => told.at,
    ({ server, database }) => {
      const write = async () => {
        await server().empty()
        for (const line of readStored(release, 'redis.jsonl')) {
          await server().call(...(JSON.parse(line) as [string]))
        }
      }
      const open = (name: string, options: Omit<LedgerOptions, 'now'>) =>
        createRedisLedger({
          ...ledgerParts,
          ...ledgerOptions,
          ...options,
          database: database(),
          name,
        })

      releaseSuite('Redis', async () => {
        await write()
        const options = { ...usual, relayer: relayerIn(told) }
        return { ledger: open('31', options), told }
      })

      test("repeats each caller's screen byte for byte, and keeps its API keys", async () => {
        await write()
        const memory = () => createRedisMemory(database())
        const ledger: DeploymentOptions['ledger'] = (options) => open('31', options)
        await expectSameScreens(openThen(told, { ledger, memory }), told)
        const [key] = await createRedisKeys(database()).list()
        expect(key).toMatchObject({ name: 'a wallet', quota: 1_000, revokedAt: null })
      })
    },
  )
})
