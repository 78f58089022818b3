import { type Address, type Hex, parseEther } from 'viem'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { startRedisBridge } from '../../../scripts/dev/redis/bridge.ts'
import { type RedisServer, startRedisServer } from '../../../scripts/dev/redis/redis-server.ts'
import { deposit } from '../../../scripts/dev/relays/callers.ts'
import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import { createRedisMemory } from '../../../src/account/memory-redis.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { ledgerParts } from '../../../src/compose/ledger.ts'
import { createRedisKeys } from '../../../src/keys/api-keys-redis.ts'
import type { keptTables } from '../../../src/operator/kept/tables.ts'
import type { RowIn, tables } from '../../../src/relay/ledger/rows.ts'
import { createRedisLedger } from '../../../src/relay/ledger/stores/redis.ts'
import type { Sql, SqlValue } from '../../../src/relay/ledger/stores/sqlite.ts'
import { isOpen } from '../../../src/relay/ledger/work.ts'
import { openRedis } from '../../../src/runtime/redis.ts'
import { type DeploymentOptions, openDeployment, openSqlLedger } from '../deployment.ts'
import { createMemoryStore } from '../memory-store.ts'
import type { Dialled, Told } from './release.suite.ts'
import { releases, writeRelease } from './told.ts'

// Writes what this version stores, for the tests of its successors:
//   npx node test/support/release/write.ts

/** So late that no alarm of a test's runtime rings, whose clock is the machine's. */
const beginsAt = Date.UTC(2100, 0, 1)
const [phone, payee] = ['+254700000001', '+254700000002']
const pin = '482615'
const secretOf = (digit: string) => `0x${digit.repeat(64)}`
const token = 'the-token-of-this-release'

/** Has secrets that everybody may know. */
const variables = {
  ...{ PROFILE: 'lender', PIN: 'on', OPERATOR_TOKEN: token },
  ...{ ACCOUNT_ID_SECRET: secretOf('1'), ACCOUNT_KEY_SECRET: secretOf('2') },
  ...{ PIN_SECRET: secretOf('3'), MAX_SENT_A_DAY_WEI: `${parseEther('2')}` },
  ...{ AGENTS: 'on', MAX_AGENT_SENT_A_DAY_WEI: 'none' },
}

type Till = { till: string }

type Stores = Required<Pick<DeploymentOptions, 'ledger' | 'memory'>>

/** Lives what leaves a row of most kinds, and one payment that no block has. */
async function live(chain: TestChain, time: { ahead: number }, stores: Stores) {
  const own: Record<string, string> = { ...chain.bindings, ...variables }
  const deployment = openDeployment({ ...stores, time, variables: own })
  const { ledger, round } = deployment
  const dialled: Dialled[] = []
  const dial = async (sessionId: string, text: string) => {
    const body = new URLSearchParams({ phoneNumber: phone, sessionId, text })
    return `${(await deployment.ask('/ussd', { method: 'POST', body })).body}`
  }
  /** Types an answer after the other; the last one decides the session. */
  const decide = async (sessionId: string, ...typed: string[]) => {
    for (const index of typed.keys()) await dial(sessionId, typed.slice(0, index).join('*'))
    const text = typed.join('*')
    dialled.push({ phone, sessionId, text, screen: await dial(sessionId, text) })
  }
  const allDone = () =>
    until(async () => {
      await round()
      return !isOpen(await ledger.readWork())
    })
  const ask = async (path: string, sent?: object) => {
    const body = sent === undefined ? null : JSON.stringify(sent)
    const method = sent === undefined ? 'GET' : 'POST'
    const headers = { authorization: `Bearer ${token}` }
    const answer = await deployment.ask(`/operator/${path}`, { method, body, headers })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }

  const accountOf = createCallerAccounts(own.ACCOUNT_KEY_SECRET as Hex)
  const accounts: Address[] = []
  for (const one of [phone, payee]) accounts.push((await accountOf(one as PhoneNumber)).address)
  await deposit(chain, accounts, parseEther('1'))
  await round()
  await decide('a PIN', pin, pin)
  await decide('paid', '2', payee, '0.025', pin)
  await allDone()
  await decide('refused', '2', payee, '9')
  await decide('a loan', '3', '1', pin)
  await allDone()
  const { till } = (await ask('agents/add', { phone: payee, name: 'Duka', kind: 'bill' })) as Till
  await decide('a bill', '10', till, 'AB-12', '0.01', pin)
  await allDone()
  await ask('wallet', { phone, name: 'Savings', address: secretOf('5').slice(0, 42) })
  await ask('hold', { account: secretOf('4').slice(0, 42), action: 'hold' })
  await ask('loans')
  await chain.anvil.ask('evm_setAutomine', [false])
  await decide('open', '2', payee, '0.05', pin)
  await until(async () =>
    (await ledger.readWork()).nonces.some(
      ({ transactions }) => transactions[0]?.sentAt !== undefined,
    ),
  )
  const { NODE_URL: _, ...kept } = own
  return { at: Date.now() + time.ahead, variables: kept, accounts, dialled }
}

/** Reads the rows of a table as they are stored. */
type All = typeof tables & typeof keptTables
type ReadRows = <Name extends keyof All>(
  table: Name,
) => RowIn<All, Name>[] | Promise<RowIn<All, Name>[]>

/** Lives on a chain of its own, whose time is that of the stores. */
async function tell(stores: Stores, time: { ahead: number }, readRows: ReadRows) {
  const chain = await startChain(['--timestamp', `${beginsAt / 1_000}`])
  const { accounts, ...told } = await live(chain, time, stores)
  await chain.stop()
  const [{ relayer = '' } = {}] = await readRows('relayers')
  const exported: Told['exported'] = [
    { fingerprints: { RELAYER_MNEMONIC: relayer } },
    ...(await readRows('sessions')).map((session) => ({ session })),
    ...(await readRows('payments')).map((payment) => ({ payment })),
    { transactions: await readRows('transactions') },
    ...(await readRows('shown')).map((shown) => ({ shown })),
    ...(await readRows('audit')).map((audit) => ({ audit })),
    ...(await readRows('holds')).map((hold) => ({ hold })),
    ...(await readRows('tills')).map((till) => ({ till })),
  ]
  return { accounts, told: { ...told, exported } }
}

async function writeSqlite(release: string): Promise<void> {
  const time = { ahead: beginsAt - Date.now() }
  const sql = openSqlite()
  const memory = createMemoryStore(() => Date.now() + time.ahead)
  const ledger = (options: Parameters<typeof openSqlLedger>[1]) => openSqlLedger(sql, options)
  const { accounts, told } = await tell({ ledger, memory: () => memory }, time, (table) =>
    sql.exec<{ row: string }>(`SELECT row FROM ${table}`).map(({ row }) => JSON.parse(row)),
  )
  const rows = await Promise.all(
    accounts.map(async (one) => [one, (await memory.load(one)).row] as [Address, string]),
  )
  writeRelease(release, 'sqlite.sql', dump(sql), { ...told, memory: rows })
}

/** Returns the statements that make a database again, those of a table before those of its rows. */
function dump(sql: Sql): string[] {
  const made = sql.exec<{ name: string; type: string; sql: string }>(
    'SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name',
  )
  const rows = made
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) =>
      sql
        .exec(`SELECT * FROM ${name}`)
        .map((row) => `INSERT INTO ${name} VALUES (${Object.values(row).map(literal).join(', ')})`),
    )
  return [...made.map((one) => one.sql), ...rows].map((statement) => `${statement};`)
}

const literal = (value: SqlValue): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `${value ?? 'NULL'}`

async function writeRedis(release: string): Promise<void> {
  const time = { ahead: beginsAt - Date.now() }
  const server = await startRedisServer()
  const now = () => Date.now() + time.ahead
  const bridge = await startRedisBridge({ redisPort: server.port, now })
  const database = openRedis(bridge)
  const key = { name: 'a wallet', chainId: 31, quota: 1_000, methods: null, revokedAt: null }
  await createRedisKeys(database).create({ ...key, hash: 'f'.repeat(64), createdAt: beginsAt })
  const { told } = await tell(
    {
      ledger: ({ rules, relayer }) =>
        createRedisLedger({ ...ledgerParts, database, name: '31', rules, relayer, roundMs: 1_000 }),
      memory: () => createRedisMemory(database),
    },
    time,
    async (table) => {
      const keys = (await server.call('KEYS', `*:row:${table}:*`)) as string[]
      const rows = keys.sort().map((key) => server.call('GET', key))
      return (await Promise.all(rows)).map((row) => JSON.parse(String(row)))
    },
  )
  writeRelease(release, 'redis.jsonl', await commandsOf(server), { ...told, memory: [] })
  await bridge.stop()
  await server.stop()
}

/** Returns the commands that write all keys again, a line of JSON each. */
async function commandsOf(server: RedisServer): Promise<string[]> {
  const keys = (await server.call('KEYS', '*')) as string[]
  const commands = keys.sort().map(async (key) => {
    switch (await server.call('TYPE', key)) {
      case 'string':
        return ['SET', key, await server.call('GET', key)]
      case 'hash':
        return ['HSET', key, ...((await server.call('HGETALL', key)) as string[])]
      default: {
        const members = (await server.call('ZRANGE', key, 0, -1, 'WITHSCORES')) as string[]
        const pairs = members.flatMap((member, index) =>
          index % 2 === 0 ? [members[index + 1], member] : [],
        )
        return ['ZADD', key, ...pairs]
      }
    }
  })
  return (await Promise.all(commands)).map((command) => JSON.stringify(command))
}

const release = releases.at(-1) ?? ''
await writeSqlite(release)
await writeRedis(release)
process.exit()
