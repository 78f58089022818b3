import { zeroAddress } from 'viem'
import { expect, test as plainTest } from 'vitest'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { createLedgerPort } from '../../../../src/relay/ledger/methods.ts'
import type { Ledger } from '../../../../src/relay/ledger/port.ts'
import { type Row, type TableName, tableNames } from '../../../../src/relay/ledger/rows.ts'
import { usual } from '../../../ports/ledger-memory.ts'
import {
  accept,
  alice,
  bob,
  carol,
  executionIn,
  fillNonce,
  id,
  mineAt,
  offer,
  offerOf,
  question,
  settle,
  transactionOf,
} from '../../../ports/payments.ts'
import { openSqlLedger } from '../../../support/deployment.ts'

/** Opens a ledger whose rows tests can read and delete. */
const test = plainTest.extend('world', () => {
  const [sql, { rules }] = [openSqlite(), usual]
  let now = 1_700_000_000_000
  const open = () => openSqlLedger(sql, { ...usual, now: () => now })
  let opened = open()
  const ledger = createLedgerPort<Ledger>((method, args) =>
    (opened[method] as (...args: unknown[]) => unknown)(...args),
  )
  const rowsOf = <Name extends TableName>(table: Name): Row<Name>[] =>
    sql.exec<{ row: string }>(`SELECT row FROM ${table}`).map(({ row }) => JSON.parse(row))
  return {
    ...{ ledger, rules, rowsOf },
    pass: (ms: number) => {
      now += ms
    },
    /** Names the tables that have rows, and how many. */
    counts() {
      const counts = tableNames.map((table) => [table, rowsOf(table).length] as const)
      return Object.fromEntries(counts.filter(([, count]) => count > 0))
    },
    lose(table: TableName, column: string, value: string | number) {
      sql.exec(`DELETE FROM ${table} WHERE row ->> '${column}' = ?`, value)
      opened = open()
    },
    waiting: () => {
      const [queue] = rowsOf('meta').filter(({ name }) => name === 'queue')
      return queue && JSON.parse(queue.value).waiting
    },
  }
})

test('only the count of nonces is left of a payment with old history', async ({ world }) => {
  const { ledger, rules, pass, counts, rowsOf } = world
  const till = { account: carol }
  await offer(ledger, offerOf('a', alice, { order: { till } }), offerOf('b', bob))
  const block = executionIn(9).block
  const executions = { a: executionIn(9), b: executionIn(9) }
  const { hash } = transactionOf('a,b')
  await ledger.recordMined({ nonce: 0, sessions: ['a', 'b'], hash, block, executions })
  await accept(ledger, 'c')
  await settle(ledger, 'c', 1)
  await ledger.confirm('a', block.hash)
  await ledger.confirm('b', block.hash)
  expect(counts()).toMatchObject({ payments: 3, intents: 3, nonces: 2, blocks: 1, takings: 1 })
  pass(rules.retentionMs + 1)
  await ledger.prune()
  const sums = { meta: rowsOf('meta').length, relayers: 1 }
  expect(counts()).toEqual({ ...sums, history: 3 })
  pass(rules.historyMs)
  await ledger.prune()
  expect(counts()).toEqual(sums)
  expect((await ledger.readWork()).nextNonce).toBe(2)
})

test('a removed block reopens its remaining payments, and no other', async ({ world }) => {
  const { ledger, rules, pass, rowsOf } = world
  await accept(ledger, 'a')
  await accept(ledger, 'b')
  await settle(ledger, 'a', 0)
  pass(2)
  await settle(ledger, 'b', 1)
  await accept(ledger, 'c')
  pass(rules.retentionMs - 1)
  await ledger.prune()
  const held = { hash: id('block 9'), number: 9, nonces: [[usual.relayer, 1]], sessions: ['b'] }
  expect(rowsOf('blocks')).toEqual([held])
  expect(await ledger.lookup(question('next'))).toMatchObject({ version: 2 })
  expect(await ledger.reopen(id('block 9'))).toMatchObject([{ intentId: id('b'), to: 'signed' }])
  await mineAt(ledger, 'b', 1, executionIn(10))
  expect(rowsOf('blocks')).toMatchObject([{ number: 10, sessions: ['b'] }])
})

test('a removed block with a lost nonce reopens its payment, not a new one', async ({ world }) => {
  const { ledger, lose, rowsOf } = world
  await accept(ledger, 'a')
  await mineAt(ledger, 'a', 0, executionIn(9))
  lose('nonces', 'nonce', 0)
  expect(await ledger.reopen(id('block 9'))).toMatchObject([{ intentId: id('a'), to: 'queued' }])
  expect(rowsOf('nonces')).toEqual([])
  const filling = { nonce: 0, chainNonce: 0, sessions: ['a'] }
  expect(await fillNonce(ledger, filling, transactionOf('a'))).toBe('recorded')
  await mineAt(ledger, 'a', 0, executionIn(10))
  lose('nonces', 'nonce', 0)
  await accept(ledger, 'b', bob, { poolNonce: 1_000 })
  const next = { ...filling, sessions: ['b'] }
  expect(await fillNonce(ledger, next, transactionOf('b'))).toBe('recorded')
  await mineAt(ledger, 'b', 0, executionIn(11))
  expect(await ledger.reopen(id('block 10'))).toMatchObject([{ intentId: id('a'), to: 'queued' }])
  expect(rowsOf('nonces')).toMatchObject([{ state: 'mined', block_number: 11 }])
})

test('a removed block reopens no lost payment that is now in another block', async ({ world }) => {
  const { ledger, lose } = world
  await accept(ledger, 'a')
  await mineAt(ledger, 'a', 0, executionIn(9))
  for (const table of ['payments', 'sessions', 'intents'] as const) lose(table, 'session', 'a')
  expect(await accept(ledger, 'a')).toBe(1)
  await mineAt(ledger, 'a', 1, executionIn(10))
  expect(await ledger.reopen(id('block 9'))).toEqual([])
  expect(await ledger.findPayment('a')).toMatchObject({ state: 'mined', nonce: 1 })
})

test('nonces with lost rows stay in use until the chain has passed them', async ({ world }) => {
  const { ledger, rules, lose, rowsOf } = world
  await ledger.release(0)
  expect(rowsOf('relayers')).toEqual([])
  for (let nonce = 0; nonce < rules.maxInFlight; nonce++) await accept(ledger, `s${nonce}`, bob)
  await mineAt(ledger, 's3', 3, executionIn(9))
  for (const nonce of [0, 1]) lose('nonces', 'nonce', nonce)
  const inUse = async (chainNonce: number) => {
    await ledger.release(chainNonce)
    return rowsOf('relayers')
  }
  const relayer = { relayer: usual.relayer, top: 3 }
  const open = [0, 1, 2].map((nonce) => [nonce, 1])
  expect(await inUse(0)).toEqual([{ ...relayer, open }])
  expect(await inUse(1)).toEqual([{ ...relayer, open: open.slice(1) }])
  expect(await inUse(3)).toEqual([{ ...relayer, open: open.slice(2) }])
})

test('a mined or unknown nonce is neither displaced nor abandoned', async ({ world }) => {
  const { ledger, rowsOf } = world
  await accept(ledger, 'a')
  await mineAt(ledger, 'a', 0, executionIn(9))
  for (const nonce of [0, 7]) {
    expect(await ledger.recordDisplaced(nonce)).toBeUndefined()
    expect(await ledger.abandon(nonce)).toBeUndefined()
  }
  expect(rowsOf('nonces')).toMatchObject([{ nonce: 0, state: 'mined' }])
  expect(await ledger.findPayment('a')).toMatchObject({ state: 'mined', nonce: 0 })
})

test('bytes that are recorded again count as sent', async ({ world }) => {
  const { ledger, lose } = world
  await accept(ledger, 'a')
  await ledger.recordSend(transactionOf('a').hash, 'taken')
  lose('nonces', 'nonce', 0)
  await ledger.requeue('a')
  const filling = { nonce: 0, chainNonce: 0, sessions: ['a'] }
  expect(await fillNonce(ledger, filling, transactionOf('a'))).toBe('recorded')
  const [open] = (await ledger.readWork()).nonces
  expect(open?.transactions).toMatchObject([{ sentAt: expect.any(Number) }])
})

test('a removed payment is sent soon, even if its replacement is lost', async ({ world }) => {
  const { ledger, lose } = world
  await accept(ledger, 'a')
  const [over, dearer] = [transactionOf('a').hash, transactionOf('dearer', 200n)]
  await ledger.replace({ nonce: 0, replacedHash: over, transaction: dearer })
  await mineAt(ledger, 'a', 0, executionIn(9))
  lose('transactions', 'hash', dearer.hash)
  await ledger.reopen(id('block 9'))
  const [open] = (await ledger.readWork()).nonces
  expect(open?.transactions).toMatchObject([{ hash: over, failures: 1 }])
})

test('a queue ends if all its payments are lost, and continues with others', async ({ world }) => {
  const { ledger, lose, waiting } = world
  await ledger.prune()
  expect(waiting()).toBeUndefined()
  for (const session of ['a', 'b']) await accept(ledger, session, alice, { poolNonce: 1_000 })
  await ledger.prune()
  expect(waiting()).toBe(2)
  lose('payments', 'session', 'a')
  await ledger.prune()
  expect(waiting()).toBe(2)
  lose('payments', 'session', 'b')
  await ledger.prune()
  expect(waiting()).toBe(0)
})

test("a queue that was empty begins with its new payments' deadlines", async ({ world }) => {
  const { ledger } = world
  await accept(ledger, 'far', alice, { poolNonce: 1_000 })
  const filling = { nonce: 0, chainNonce: 0, sessions: ['far'] }
  expect(await fillNonce(ledger, filling, transactionOf('far'))).toBe('recorded')
  const late = offerOf('late', bob, { poolNonce: 1_000 })
  const request = { ...late.order.request, deadline: 1 }
  await offer(ledger, { ...late, order: { ...late.order, request } })
  expect(await accept(ledger, 'next')).toBe(1)
})

test('a payment that a reorganization removes is open to its account again', async ({ world }) => {
  const { ledger } = world
  await accept(ledger, 'a')
  await settle(ledger, 'a', 0)
  await accept(ledger, 'b')
  await ledger.reopen(id('block 9'))
  expect(await ledger.lookup(question('next'))).toMatchObject({ open: [{}, {}], version: 2 })
})

test('an erased account is in no payment of the same moment', async ({ world }) => {
  const { ledger, rules, pass, rowsOf } = world
  await accept(ledger, 'a')
  await ledger.erase({ id: 'erase', account: alice, contract: bob, from: 0 })
  await settle(ledger, 'a', 0)
  pass(rules.retentionMs + 1)
  await ledger.prune()
  expect(rowsOf('history')).toMatchObject([{ intent_id: id('a'), account: zeroAddress }])
})

test('room for nonces follows mined and removed payments', async ({ world }) => {
  const { ledger, rules } = world
  for (let nonce = 0; nonce < rules.maxInFlight; nonce++) await accept(ledger, `s${nonce}`, bob)
  await mineAt(ledger, 's0', 0, executionIn(9))
  await mineAt(ledger, 's1', 1, executionIn(10))
  await ledger.reopen(id('block 10'))
  // What a node counted may be older than the blocks: one of them still makes room.
  expect(await accept(ledger, 'next')).toBe(rules.maxInFlight)
  expect(await accept(ledger, 'one more')).toBeUndefined()
})

test('no nonce is used twice, whichever block is removed first', async ({ world }) => {
  const { ledger } = world
  await accept(ledger, 'a')
  await accept(ledger, 'b')
  await mineAt(ledger, 'a', 0, executionIn(9))
  await mineAt(ledger, 'b', 1, executionIn(10))
  for (const number of [9, 10]) {
    await ledger.reopen(id(`block ${number}`))
    expect((await ledger.readWork()).nextNonce).toBe(2)
  }
})
