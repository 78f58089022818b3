import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Hex, stringToHex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, type ExpectStatic, test } from 'vitest'
import { type RedisBridge, startRedisBridge } from '../../../../scripts/dev/redis/bridge.ts'
import {
  hasRedisServer,
  type RedisServer,
  startRedisServer,
} from '../../../../scripts/dev/redis/redis-server.ts'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { createHomedLedger } from '../../../../src/relay/ledger/home.ts'
import { type Execution, type Ledger, ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../src/relay/ledger/steps.ts'
import { createRedisLedger, ledgerKey } from '../../../../src/relay/ledger/stores/redis.ts'
import { createSqlLedger } from '../../../../src/relay/ledger/stores/sqlite.ts'
import { openRedis } from '../../../../src/runtime/redis.ts'

// What the version before the schema had a number wrote, with payments in every state.
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const relayer = `0x${'aa'.repeat(20)}`
const name = `31:${relayer}`
const rules = { ...ledgerRules, maxInFlight: 15, watchBlocks: 50, meansMs: 100_000 }
const tendMs = 20_000
const identity = {
  chainId: 31,
  fingerprints: {
    ...{ RELAYER_MNEMONIC: relayer, FORWARDER_ADDRESS: `0x${'bb'.repeat(20)}` },
    ...{ ACCOUNT_ID_SECRET: 'f1', ACCOUNT_KEY_SECRET: 'f2' },
  },
}

const id = (text: string): Hex => stringToHex(text, { size: 32 })
const alice = `0x${'11'.repeat(20)}` as const
const carol = `0x${'33'.repeat(20)}` as const
const question = (session: string, account = alice) => ({
  ...{ session, account, input: `input of ${session}` },
})
const transaction = (of: string, gasPriceWei = 100n) => ({
  ...{ hash: id(`tx ${of}`), raw: id(`raw ${of}`), gasPriceWei },
})
const blockOf = (number: number) => ({ number, hash: id(`block ${number}`) })
const executionIn = (number: number): Execution => ({
  ...{ outcome: 'executed', reason: '', hash: id('later'), block: blockOf(number) },
})

const asText = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)))

type Known = {
  now: number
  queued: { session: string }[]
  nonces: { transactions: object[] }[]
}
const { work: known } = JSON.parse(readFileSync(fixture('ledger-1-work.json'), 'utf8')) as {
  work: Known
}
/** The same as today's ledger tells it: the former one knew of nothing stuck, and noted no refusals and little of the chain. */
const knownToday = {
  ...{ ...known, stuck: [] },
  ...{ trail: [], means: {}, nextMeans: 'gasPriceWei' },
  nonces: known.nonces.map((open) => ({
    ...open,
    transactions: open.transactions.map((transaction) => ({ ...transaction, failures: 0 })),
  })),
}
let now = known.now

afterEach(() => {
  now = known.now
})

/** Everything that was open goes on to its end. */
async function goesOn(ledger: Ledger, expect: ExpectStatic): Promise<void> {
  expect(await ledger.identify(identity)).toEqual({ kind: 'same' })
  const changed = { ...identity, chainId: 30 }
  expect(await ledger.identify(changed)).toEqual({ kind: 'different', names: ['chain'] })
  expect(asText(await ledger.work())).toEqual(knownToday)
  await sessionsGoOn(ledger, expect)
  await noncesGoOn(ledger, expect)
  for (const [session, nonce] of [
    ['broadcast', 3],
    ['replaced', 4],
    ['signed', 5],
    ['claimed', 9],
    ['displaced', 10],
    ['queued', 11],
    ['abandoned', 12],
  ] as const) {
    const execution = executionIn(110)
    const { hash } = transaction(session)
    const report = { nonce, session, hash, block: blockOf(110), execution }
    expect(await ledger.mined(report)).toMatchObject([{ to: 'mined' }])
    expect(await ledger.confirm(session, id('block 110'))).toMatchObject([{ to: 'confirmed' }])
  }
  expect(await ledger.confirm('mined', id('block 102'))).toMatchObject([{ to: 'confirmed' }])
  expect(await ledger.work()).toMatchObject({ queued: [], carried: [], mined: [], nextNonce: 13 })
  expect((await ledger.work()).nonces.map(({ nonce }) => nonce)).toEqual([7, 8])
}

async function sessionsGoOn(ledger: Ledger, expect: ExpectStatic): Promise<void> {
  const bob = `0x${'22'.repeat(20)}` as const
  expect(await ledger.lookup(question('refused', bob))).toEqual({
    kind: 'answered',
    screen: { kind: 'end', lines: ['Insufficient balance.', 'Nothing was sent.'] },
  })
  expect(await ledger.lookup({ ...question('signed', carol), input: 'other' })).toEqual({
    kind: 'ended',
  })
  expect(await ledger.lookup(question('new'))).toMatchObject({
    ...{ kind: 'undecided', seen: 4, busy: false },
    open: [{ intentId: id('intent replaced') }, { intentId: id('intent queued') }],
  })
  expect(await ledger.lookup(question('new', carol))).toMatchObject({ busy: true })
  // Its Worker holds it still, and it had no nonce, since others waited.
  expect(await ledger.claim(claimOf('claimed', 'another'))).toEqual({ kind: 'pending' })
  expect(await ledger.claim(claimOf('claimed', 'token of claimed'))).toEqual({
    ...{ kind: 'claimed', slot: undefined },
  })
  const { order } = (await ledger.payment('signed')) ?? {}
  if (order === undefined) throw new Error('a payment is gone')
  const recorded = await ledger.record({
    ...{ session: 'claimed', token: 'token of claimed', seen: undefined },
    transaction: undefined,
    order: { ...order, request: { ...order.request, intentId: id('intent claimed') } },
    screen: { kind: 'end', lines: ['Queued'] },
  })
  expect(recorded).toEqual({ kind: 'recorded' })
}

const claimOf = (session: string, token: string) => ({
  ...question(session, carol),
  ...{ steps: 3, token, chainNonce: 3, poolNonce: 3, seen: undefined },
})

async function noncesGoOn(ledger: Ledger, expect: ExpectStatic): Promise<void> {
  expect(await ledger.blocks(98)).toEqual([102, 101, 100, 99].map(blockOf))
  expect(await ledger.reopen(id('block 100'))).toMatchObject([
    { from: 'confirmed', to: 'broadcast' },
  ])
  const again = { nonce: 0, session: 'confirmed', hash: transaction('confirmed').hash }
  const [block, execution] = [blockOf(105), executionIn(105)]
  expect(await ledger.mined({ ...again, block, execution })).toMatchObject([{ to: 'mined' }])
  await ledger.confirm('confirmed', block.hash)
  const over = transaction('replacement').hash
  const outbid = { nonce: 4, over, carriesPayment: true, transaction: transaction('third', 200n) }
  expect(await ledger.replace(outbid)).toEqual({ kind: 'recorded' })
  const chainNonce = 3
  expect(
    await ledger.lease({ nonce: 8, token: 't', chainNonce, session: undefined }),
  ).toMatchObject({ slot: { priorGasPriceWei: 100n } })
  const waiting = ['claimed', 'displaced', 'queued', 'abandoned']
  for (const [index, session] of waiting.entries()) {
    const nonce = 9 + index
    const lease = { nonce, token: session, chainNonce, session }
    expect(await ledger.lease(lease)).toMatchObject({ kind: 'leased' })
    const attachment = { nonce, token: session, transaction: transaction(`again ${session}`) }
    expect(await ledger.attach(attachment)).toEqual({ kind: 'recorded' })
  }
}

test('a ledger of schema 1 on SQLite goes on where it was', async ({ expect }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-1-'))
  try {
    const file = join(folder, 'ledger.sqlite')
    copyFileSync(fixture('ledger-1.sqlite'), file)
    const sql = openSqlite(file)
    const open = () => createSqlLedger(sql, { rules, relayer, now: () => now })
    open()
    const ledger = open()
    await goesOn(
      ledgerThrough(async (method, args) =>
        (ledger[method] as (...args: unknown[]) => unknown)(...args),
      ),
      expect,
    )
    sql.exec(`UPDATE meta SET row = '{"name":"schema","value":"3"}' WHERE name = 'schema'`)
    expect(open).toThrow('the ledger has schema 3, and this version knows 2')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Payments that were carried in vain too often wait for nothing, and nobody waits for them. */
async function keepsNobodyWaiting(ledger: Ledger, expect: ExpectStatic): Promise<void> {
  const lease = { nonce: 9, token: 't', chainNonce: 3, session: 'queued' }
  expect(await ledger.lease(lease)).toEqual({ kind: 'taken' })
  expect(await ledger.work()).toMatchObject({ queued: [], stuck: [{}, {}, {}] })
  const bob = `0x${'22'.repeat(20)}` as const
  const claim = { ...claimOf('new', 'new'), ...question('new', bob) }
  expect(await ledger.claim(claim)).toMatchObject({ kind: 'claimed', slot: { nonce: 8 } })
}

test('payments of schema 1 on SQLite that were carried in vain too often are stuck', async ({
  expect,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-1-'))
  try {
    const file = join(folder, 'ledger.sqlite')
    copyFileSync(fixture('ledger-1.sqlite'), file)
    const sql = openSqlite(file)
    sql.exec(`UPDATE payments SET attempts = ${rules.maxAttempts} WHERE state = 'queued'`)
    const ledger = createSqlLedger(sql, { rules, relayer, now: () => now })
    await keepsNobodyWaiting(
      ledgerThrough(async (method, args) =>
        (ledger[method] as (...args: unknown[]) => unknown)(...args),
      ),
      expect,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe.skipIf(!hasRedisServer())('a ledger of schema 1 on Redis', () => {
  let server: RedisServer
  let bridge: RedisBridge

  beforeAll(async () => {
    server = await startRedisServer({ mode: 'cluster' })
    bridge = await startRedisBridge({ redisPort: server.port, now: () => now })
  })

  afterAll(async () => {
    await bridge?.stop()
    await server?.stop()
  })

  afterEach(() => server.empty())

  /** Of keys that are there so that scripts of the version before fail at them. */
  const closedKinds = ['due', 'nonces', 'payments', 'sessions']

  const fill = async () => {
    const commands = JSON.parse(readFileSync(fixture('ledger-1-redis.json'), 'utf8')) as string[][]
    for (const command of commands) await server.call(...command)
  }
  const open = () =>
    createRedisLedger({ database: openRedis(bridge), name, rules, relayer, tendMs })

  test('goes on where it was, whichever of several processes comes first', async ({ expect }) => {
    await fill()
    const [ledger, ...others] = [open(), open(), open()]
    const all = await Promise.all([ledger, ...others].map((each) => each?.work()))
    for (const work of all) expect(asText(work)).toEqual(knownToday)
    await goesOn(ledger ?? open(), expect)
    const left = (await server.call('KEYS', `${ledgerKey(name)}*`)) as string[]
    const kinds = new Set(left.map((key) => key.slice(ledgerKey(name).length + 1).split(':')[0]))
    expect([...kinds].sort()).toEqual(
      closedKinds.concat(['list', 'payment', 'row', 'session', 'tasks', 'version']).sort(),
    )
    await server.call(
      'SET',
      `${ledgerKey(name)}:row:meta:schema`,
      '1 {"name":"schema","value":"3"}',
    )
    await expect(open().work()).rejects.toThrow('the ledger has schema 3')
  })

  test('goes on under the name of today, where it is, under another key, too', async ({
    expect,
  }) => {
    await fill()
    const database = openRedis(bridge)
    const openBy = (key: string) =>
      createHomedLedger(
        (name) => createRedisLedger({ database, name, rules, relayer: key, tendMs }),
        { name: '31', former: `31:${key}` },
      )
    expect(asText(await openBy(relayer).ledger.work())).toEqual(knownToday)
    const key = `0x${'cc'.repeat(20)}`
    const moved = openBy(key)
    expect(await moved.home()).toBe(name)
    const fingerprints = { ...identity.fingerprints, RELAYER_MNEMONIC: key }
    expect(await moved.ledger.identify({ ...identity, fingerprints })).toEqual({
      ...{ kind: 'different', names: ['RELAYER_MNEMONIC'] },
    })
  })

  test('goes on after a migration that ended anywhere', async ({ expect }) => {
    for (let commands = 1; ; commands++) {
      await server.empty()
      await fill()
      bridge.script({ fault: { kind: 'drop_reply' }, skip: commands })
      const isDone = await open()
        .work()
        .then(() => true)
        .catch(() => false)
      bridge.clear()
      expect(asText(await open().work())).toEqual(knownToday)
      if (isDone) break
    }
  })

  test('has the payments as stuck that were carried in vain too often', async ({ expect }) => {
    await fill()
    for (const { session } of known.queued) {
      const key = `${ledgerKey(name)}:payment:${session}`
      await server.call('HSET', key, 'attempts', rules.maxAttempts)
    }
    await keepsNobodyWaiting(open(), expect)
  })

  test('names the row that it cannot read', async ({ expect }) => {
    await fill()
    const key = `${ledgerKey(name)}:payment:queued`
    await server.call('HSET', key, 'state', 'lost')
    await expect(open().work()).rejects.toThrow('payments queued does not parse: state')
    await server.call('HSET', key, 'state', 'queued', 'spends', 'secret')
    await expect(open().work()).rejects.toThrow(/payments queued does not parse: spends$/)
  })

  test('lists each payment once where it moved between two migrations', async ({ expect }) => {
    await fill()
    await open().work()
    // As a migration leaves it that ended before it wrote the schema's row.
    const closed = ['due', 'sessions', 'payments:queued', 'nonces:leased']
    for (const key of [...closed, 'row:meta:schema']) {
      await server.call('DEL', `${ledgerKey(name)}:${key}`)
    }
    await fill()
    const { session } = known.queued.at(0) ?? { session: '' }
    await server.call('HSET', `${ledgerKey(name)}:payment:${session}`, 'state', 'expired')
    const { queued } = await open().work()
    expect(queued.map((payment) => payment.session)).not.toContain(session)
    expect(queued).toHaveLength(known.queued.length - 1)
  })

  /** What a process of the version before asks, by its own script. */
  const before = (method: string, args: Record<string, unknown>) =>
    server.call(
      ...['EVAL', readFileSync(fixture('ledger-1.lua'), 'utf8'), 1, ledgerKey(name), method],
      ...[JSON.stringify({ ...rules, tendMs }), JSON.stringify(args)],
    )
  const order = { intentId: id('intent old'), account: alice, label: 'Transfer', spends: '1' }
  const late = {
    claim: claimOf('old', 'old'),
    record: { session: 'claimed', token: 'token of claimed', order, reply: 'END Paid' },
    adopt: { ...question('old'), steps: 3, order, execution: executionIn(110), reply: 'END Paid' },
  }

  test('lets a process that knows only the layout of before write nothing', async ({ expect }) => {
    for (const isFilled of [true, false]) {
      await server.empty()
      if (isFilled) await fill()
      await open().work()
      const keys = async () => ((await server.call('KEYS', '*')) as string[]).sort()
      const known = await keys()
      for (const [method, args] of Object.entries(late)) {
        await expect(before(method, args)).rejects.toThrow('WRONGTYPE')
      }
      expect(await keys()).toEqual(known)
      // A refusal may leave a row of its own; but nobody is told that nothing was sent.
      const refusing = { ...question('old'), token: 'old', steps: 3, reply: 'END No' }
      await expect(before('refuse', refusing)).rejects.toThrow('WRONGTYPE')
      await expect(before('work', {})).rejects.toThrow('WRONGTYPE')
    }
  })

  test('lets a process of before tell what was decided before', async ({ expect }) => {
    await fill()
    await open().work()
    const asked = question('signed', carol)
    expect(await before('lookup', asked)).toMatchObject(['answered', expect.any(String)])
    expect(await before('lookup', { ...asked, input: 'other' })).toEqual(['ended'])
    const refusing = { ...asked, token: 'old', steps: 3, reply: 'END No' }
    expect(await before('refuse', refusing)).toMatchObject(['answered', expect.any(String)])
    for (const kind of ['session', 'payment']) {
      const left = Number(await server.call('PTTL', `${ledgerKey(name)}:${kind}:signed`))
      expect(left).toBeGreaterThan(rules.retentionMs - 60_000)
    }
  })

  test('keeps the task that was due, for those who know the layout of today', async ({
    expect,
  }) => {
    await fill()
    const due = await server.call('ZRANGE', `${ledgerKey(name)}:due`, 0, -1, 'WITHSCORES')
    expect(due).toMatchObject(['tend', expect.any(String)])
    await open().work()
    const tasks = ['ZRANGE', `${ledgerKey(name)}:tasks`, 0, -1, 'WITHSCORES'] as const
    expect(await server.call(...tasks)).toEqual(due)
    await expect(server.call('ZCARD', `${ledgerKey(name)}:due`)).rejects.toThrow('WRONGTYPE')
  })
})
