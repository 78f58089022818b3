import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openSqlite } from '../../../../../scripts/dev/sqlite.ts'
import { ledgerParts } from '../../../../../src/compose/ledger.ts'
import type { Draft, StepContext } from '../../../../../src/relay/ledger/draft.ts'
import { reads, writes } from '../../../../../src/relay/ledger/port.ts'
import { table, tables } from '../../../../../src/relay/ledger/rows.ts'
import { createSqlLedger } from '../../../../../src/relay/ledger/stores/sqlite.ts'
import { usual } from '../../../../ports/ledger-memory.ts'
import { ledgerSuites } from '../../../../ports/ledger-store.suite.ts'
import {
  accept,
  alice,
  fillNonce,
  id,
  judge,
  refusingOf,
  settle,
  transactionOf,
} from '../../../../ports/payments.ts'
import { openSqlLedger } from '../../../../support/deployment.ts'

const { rules, relayer } = usual

const create = async () => {
  let now = Date.now()
  return {
    ledger: openSqlLedger(openSqlite(), { rules, relayer, now: () => now }),
    rules,
    pass: (ms: number) => {
      now += ms
    },
  }
}

ledgerSuites('node:sqlite', create)

test("another key takes over a ledger only after the former key's nonces are settled", async () => {
  const sql = openSqlite()
  const other = '0x8888888888888888888888888888888888888888'
  const now = () => 1_700_000_000_000
  const openBy = (key: string) => openSqlLedger(sql, { rules, relayer: key, now })
  const identityOf = (key: string) => ({ chainId: 31, fingerprints: { RELAYER_MNEMONIC: key } })
  const identified = (key: string) => openBy(key).identify(identityOf(key))
  expect(await identified(relayer)).toEqual({ kind: 'same' })
  expect(await accept(openBy(relayer), 's')).toBe(0)
  expect(await identified(other)).toEqual({ kind: 'different', names: ['RELAYER_MNEMONIC'] })
  await settle(openBy(relayer), 's', 0)
  for (const key of [other, relayer, other]) expect(await identified(key)).toEqual({ kind: 'same' })
  // What the former key sent has left the chain: the current key carries it.
  expect(await openBy(other).reopen(id('block 9'))).toMatchObject([
    { from: 'confirmed', to: 'queued' },
  ])
  expect(await identified(relayer)).toEqual({ kind: 'different', names: ['RELAYER_MNEMONIC'] })
  const filling = { nonce: 0, chainNonce: 0, sessions: ['s'] }
  expect(await fillNonce(openBy(other), filling, transactionOf('again'))).toBe('recorded')
})

test('a process with another key than who offers a payment signs nothing, and compares no counts', async () => {
  const sql = openSqlite()
  const next = '0x8888888888888888888888888888888888888888'
  const openBy = (key: string) => openSqlLedger(sql, { rules, relayer: key, now: Date.now })
  const by = (key: string) => ({ chainId: 31, fingerprints: { RELAYER_MNEMONIC: key } })
  const former = { identity: by(relayer), chainNonce: 9, poolNonce: 9 }
  // The ledger has the former key, as the Worker, and the store begins with the next one.
  await openBy(relayer).identify(by(relayer))
  expect(await judge(openBy(next), 's', alice, former)).toEqual({ kind: 'paused' })
  await openBy(next).identify(by(next))
  await accept(openBy(next), 's', alice, { identity: by(next), chainNonce: 0, poolNonce: 0 })
  expect(await judge(openBy(next), 'late', alice, former)).toEqual({ kind: 'paused' })
  const traces = { chain: 9, pool: 9, relayer }
  const refuse = (isSpent?: boolean) => {
    const refusing = { ...refusingOf('late'), reason: 'balance_too_low' }
    return openBy(next).refuse({ ...refusing, traces: { ...traces, isSpent } })
  }
  // Whether the intent is spent is the same by any key.
  expect(await refuse(true)).toEqual({ kind: 'unsure' })
  expect(await refuse()).toEqual({ kind: 'refused' })
  expect((await openBy(next).readWork()).possibleLossAt).toBeUndefined()
})

test('rows of another schema are refused, and stay as they were', () => {
  const sql = openSqlite()
  const open = () => createSqlLedger(sql, { ...ledgerParts, rules, relayer, now: () => 1 })
  open().identify({ chainId: 31, fingerprints: {} })
  open()
  for (const other of ['2', '7']) {
    sql.exec(
      "UPDATE meta SET row = ? WHERE name = 'schema'",
      `{"name":"schema","value":"${other}"}`,
    )
    const before = sql.exec('SELECT * FROM meta')
    expect(open).toThrow(
      `the ledger has schema ${other}, and this version knows 6: deploy one that knows ${other}`,
    )
    expect(sql.exec('SELECT * FROM meta')).toEqual(before)
  }
})

test('a store runs the steps that it is handed over their tables, and a throw undoes all', () => {
  const visits = table(['name'], { name: z.string(), count: z.int() })
  const all = { meta: tables.meta, visits }
  type Context = StepContext & { rows: Draft<typeof all> }
  const count = ({ rows }: Context, name: string) => rows.row('visits', name)?.count ?? 0
  const steps = {
    count: reads(count),
    visit: writes((step: Context, name: string, isAllowed: boolean) => {
      const visited = count(step, name) + 1
      step.rows.put('visits', { name, count: visited })
      if (!isAllowed) throw new Error('not allowed')
      return visited
    }),
  }
  const options = { rules, relayer, now: () => 1 }
  const ledger = createSqlLedger(openSqlite(), { steps, tables: all, ...options })
  expect([ledger.visit('a', true), ledger.visit('a', true)]).toEqual([1, 2])
  expect(() => ledger.visit('a', false)).toThrow('not allowed')
  expect(ledger.count('a')).toBe(2)
})

test('a list has its order whichever of its rows are known, and reads no row that it knows', () => {
  const shape = { name: z.string(), at: z.int() }
  const visits = table(['name'], shape, { age: { group: undefined, score: 'at' } })
  const all = { meta: tables.meta, visits }
  type Context = StepContext & { rows: Draft<typeof all> }
  const listing = { table: 'visits', list: 'age', limit: 9 } as const
  const steps = {
    list: reads(({ rows }: Context) => rows.list(listing).map(({ name }) => name)),
    read: reads(({ rows }: Context, name: string) => rows.row('visits', name)),
    add: writes(({ rows }: Context, name: string, at: number) => rows.put('visits', { name, at })),
  }
  const sql = openSqlite()
  const queries: string[] = []
  const exec: typeof sql.exec = (query, ...bindings) => {
    queries.push(query)
    return sql.exec(query, ...bindings)
  }
  const options = { steps, tables: all, rules, relayer, now: () => 1 }
  const open = () => createSqlLedger({ ...sql, exec }, options)
  const names = ['b', 'c', 'a']
  for (const [at, name] of names.entries()) open().add(name, at)
  for (let known = 0; known < 8; known += 1) {
    const ledger = open()
    for (const [index, name] of names.entries()) if (known & (1 << index)) ledger.read(name)
    expect(ledger.list()).toEqual(names)
    queries.length = 0
    expect(ledger.list()).toEqual(names)
    expect(queries.filter((query) => /\brow\b/.test(query))).toEqual([])
  }
})

test('only tables with rowids have large rows, of which an inner page would hold a few', async () => {
  const sql = openSqlite()
  const ledger = openSqlLedger(sql, { rules, relayer, now: () => 1_700_000_000_000 })
  for (let payment = 0; payment < 8; payment += 1) {
    await accept(ledger, `s${payment}`)
    await settle(ledger, `s${payment}`, payment)
  }
  const find = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%WITHOUT ROWID'"
  for (const { name } of sql.exec<{ name: string }>(find)) {
    const [largest] = sql.exec<{ bytes: number }>(`SELECT max(length(row)) AS bytes FROM ${name}`)
    expect([name, (largest?.bytes ?? 0) < 500]).toEqual([name, true])
  }
})

test('a read-only database is detected on request', () => {
  const sql = openSqlite()
  let now = 1_700_000_000_000
  const ledger = createSqlLedger(sql, { ...ledgerParts, rules, relayer, now: () => now })
  expect(ledger.readVitals({ probes: true }).now).toBe(now)
  sql.exec('PRAGMA query_only = 1')
  now += 10_000
  expect(ledger.readVitals().now).toBe(now)
  expect(() => ledger.readVitals({ probes: true })).toThrow(/readonly/)
})
