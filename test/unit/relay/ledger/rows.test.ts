import { type Hex, zeroAddress } from 'viem'
import { expect, test as plainTest } from 'vitest'
import { openSqlite } from '../../../../scripts/dev/sqlite.ts'
import { ledgerParts } from '../../../../src/compose/ledger.ts'
import { encodeCall } from '../../../../src/loan/calls.ts'
import { toReceiptNumber } from '../../../../src/relay/forwarder/requests.ts'
import { createLedgerPort } from '../../../../src/relay/ledger/port.ts'
import type { Row, TableName } from '../../../../src/relay/ledger/rows.ts'
import { usual } from '../../../ports/ledger-memory.ts'
import {
  accept,
  alice,
  bob,
  carol,
  executionIn,
  fillNonce,
  id,
  judge,
  mineAt,
  offer,
  offerOf,
  orderOf,
  question,
  refusingOf,
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
  const ledger = createLedgerPort(ledgerParts.steps, (method, args) =>
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
      const counts = (Object.keys(ledgerParts.tables) as TableName[]).map(
        (table) => [table, rowsOf(table).length] as const,
      )
      return Object.fromEntries(counts.filter(([, count]) => count > 0))
    },
    lose(table: TableName, column: string, value: string | number) {
      sql.exec(`DELETE FROM ${table} WHERE row ->> '${column}' = ?`, value)
      opened = open()
    },
  }
})

test('only the count of nonces is left of a payment with old history', async ({ world }) => {
  const { ledger, rules, pass, counts, rowsOf } = world
  const attached = { till: { account: carol, code: '004217' } }
  const data = encodeCall({ kind: 'transfer', to: carol, amountWei: 3n })
  const order = { request: { ...orderOf('a').request, data }, attached }
  await offer(ledger, offerOf('a', alice, { order }), offerOf('b', bob))
  await ledger.refuse({ ...refusingOf('refused'), reason: 'held' })
  const block = executionIn(9).block
  const executions = { a: executionIn(9, { executed: order.request }), b: executionIn(9) }
  const { hash } = transactionOf('a,b')
  await ledger.recordMined({ nonce: 0, sessions: ['a', 'b'], hash, block, executions })
  await accept(ledger, 'c')
  await settle(ledger, 'c', 1)
  await ledger.confirm(['a'], block.hash)
  await ledger.confirm(['b'], block.hash)
  expect(counts()).toMatchObject({ payments: 3, receipts: 3, nonces: 2, blocks: 1, takings: 1 })
  expect(counts()).toMatchObject({ sessions: 1, refusals: 1, clues: 4 })
  pass(rules.retentionMs + 1)
  await ledger.prune()
  const sums = { meta: rowsOf('meta').length, relayers: 1 }
  expect(counts()).toEqual({ ...sums, history: 3 })
  pass(rules.historyMs)
  await ledger.prune()
  expect(counts()).toEqual(sums)
  expect((await ledger.readWork()).nextNonce).toBe(2)
})

test('a payment is found by its receipt number, with all that share it, and once archived', async ({
  world,
}) => {
  const { ledger, rules, pass } = world
  const [one, same] = [orderOf('a').request, orderOf('b').request]
  // The number follows from the intent alone.
  const intentId = `0x${(BigInt(one.intentId) + 9_000_000n).toString(16).padStart(44, '0')}` as Hex
  const request = { ...same, intentId }
  await accept(ledger, 'a')
  await accept(ledger, 'b', bob, { order: { request } })
  const number = toReceiptNumber(one.intentId)
  expect(number).toMatch(/^[1-9]\d{2}-\d{4}$/)
  const find = async () =>
    (await ledger.findPayments(number, 9)).map((found) => found.intentId).sort()
  expect(await find()).toEqual([one.intentId, intentId].sort())
  await settle(ledger, 'a', 0)
  pass(rules.retentionMs + 1)
  await ledger.prune()
  expect(await find()).toEqual([one.intentId, intentId].sort())
  expect(await ledger.findPayments('000-0000', 9)).toEqual([])
})

test('a receipt number whose payment a former version has archived is no fault', async ({
  world,
}) => {
  const { ledger, lose } = world
  await accept(ledger, 'a')
  await settle(ledger, 'a', 0)
  // That version deletes the payment, and knows no receipts.
  lose('payments', 'session', 'a')
  expect(await ledger.tracePayment(orderOf('a').request.intentId)).toBeUndefined()
  expect(await ledger.findPayments(toReceiptNumber(orderOf('a').request.intentId), 9)).toEqual([])
  expect((await ledger.readVitals()).missing).toEqual([])
})

test('an order is accepted with what is attached to it, or neither', async ({ world }) => {
  const { ledger, counts } = world
  const attached = { till: { account: 'nobody' } }
  await expect(accept(ledger, 's', alice, { order: { attached } })).rejects.toThrow()
  expect(counts()).toEqual({ meta: 1 })
  const till = { account: bob, code: '004217' }
  await accept(ledger, 's', alice, { order: { attached: { till } } })
  expect(await ledger.findPayments('004217', 9)).toMatchObject([{ code: '004217' }])
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

test.for([
  ['nonces', 'nonce', 0, `nonces:${usual.relayer}:0`],
  ['transactions', 'hash', transactionOf('a').hash, `transactions:${transactionOf('a').hash}`],
  ['payments', 'session', 'a', 'payments:a'],
] as const)(
  'a row of %s that is missing and that another names stops payments until an operator resumes',
  async ([table, column, value, name], { world }) => {
    const { ledger, lose } = world
    const missing = async () => (await ledger.readVitals()).missing
    const read = async () => [await ledger.lookup(question('next')), await ledger.readWork()]
    await accept(ledger, 'a')
    await read()
    expect(await missing()).toEqual([])
    lose(table, column, value)
    await read()
    expect(await missing()).toEqual([name])
    const offerMore = async () => (await judge(ledger, 'b', bob)).kind
    expect(await offerMore()).toBe('paused')
    await ledger.setIntake('open', 'resume')
    expect(await missing()).toEqual([])
    expect(await offerMore()).toBe('accepted')
    // It is still missing, and whoever reads it again stops payments again.
    await read()
    expect(await missing()).toEqual([name])
  },
)

test('no payment is final before its block by what a missing row may hold, also once it is left behind', async ({
  world,
}) => {
  const { ledger, lose } = world
  const order = { lasting: orderOf('s').request, kind: 'withdrawal', spendsWei: 1n } as const
  for (const [session, account] of [
    ['lost', alice],
    ['s', alice],
    ['of another', bob],
  ] as const) {
    const lasting = orderOf(session, account).request
    const nonce = await accept(ledger, session, account, { order: { ...order, lasting } })
    if (session !== 'lost') await mineAt(ledger, session, nonce ?? -1, executionIn(9))
  }
  const assure = (session: string) =>
    ledger.assure(session, id('block 9'), { block: 5, wei: 1_000n })
  lose('payments', 'session', 'lost')
  // Nobody has noticed it before.
  expect(await assure('s')).toBeUndefined()
  expect((await ledger.readVitals()).missing).toEqual(['payments:lost'])
  await ledger.setIntake('open', 'resume')
  expect(await assure('of another')).toBeUndefined()
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
