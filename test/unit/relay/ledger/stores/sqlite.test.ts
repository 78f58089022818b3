import { test } from 'vitest'
import { openSqlite } from '../../../../../scripts/dev/sqlite.ts'
import type { SignedRequest } from '../../../../../src/relay/forwarder/requests.ts'
import { type Claiming, ledgerRules } from '../../../../../src/relay/ledger/port.ts'
import { ledgerThrough } from '../../../../../src/relay/ledger/steps.ts'
import { createSqlLedger } from '../../../../../src/relay/ledger/stores/sqlite.ts'
import { ledgerSuites } from '../../../../ports/ledger-store.suite.ts'

const rules = { ...ledgerRules, maxInFlight: 4, watchBlocks: 50, meansMs: 100_000 }
const relayer = '0x9999999999999999999999999999999999999999'

const create = async () => {
  let now = 1_700_000_000_000
  const ledger = createSqlLedger(openSqlite(), { rules, relayer, now: () => now })
  return {
    ledger: ledgerThrough(async (method, args) =>
      (ledger[method] as (...args: unknown[]) => unknown)(...args),
    ),
    rules,
    pass: (ms: number) => {
      now += ms
    },
  }
}

ledgerSuites('node:sqlite', create)

test("another key takes a ledger over only when the former one's nonces are settled", ({
  expect,
}) => {
  const sql = openSqlite()
  const other = '0x8888888888888888888888888888888888888888'
  let now = 1_700_000_000_000
  const openBy = (key: string) => createSqlLedger(sql, { rules, relayer: key, now: () => now })
  const identityOf = (key: string) => ({ chainId: 31, fingerprints: { RELAYER_MNEMONIC: key } })
  expect(openBy(relayer).identify(identityOf(relayer))).toEqual({ kind: 'same' })
  const account = '0x1111111111111111111111111111111111111111'
  const claim = openBy(relayer).claim({
    ...{ session: 's', input: 'i', account, steps: 3, token: 't', seen: undefined },
    ...{ chainNonce: 0, poolNonce: 0 },
  })
  expect(claim).toMatchObject({ kind: 'claimed', slot: { nonce: 0 } })
  expect(openBy(other).identify(identityOf(other))).toEqual({
    ...{ kind: 'different', names: ['RELAYER_MNEMONIC'] },
  })
  now += rules.leaseMs + 1
  openBy(relayer).release([0], 1)
  expect(openBy(other).identify(identityOf(other))).toEqual({ kind: 'same' })
  expect(openBy(relayer).identify(identityOf(relayer))).toEqual({ kind: 'same' })
})

test('a database that cannot be written is told from one that can, where that is asked', ({
  expect,
}) => {
  const sql = openSqlite()
  let now = 1_700_000_000_000
  const ledger = createSqlLedger(sql, { rules, relayer, now: () => now })
  expect(ledger.vitals({ probes: true }).now).toBe(now)
  sql.exec('PRAGMA query_only = 1')
  now += 10_000
  expect(ledger.vitals().now).toBe(now)
  expect(() => ledger.vitals({ probes: true })).toThrow(/readonly/)
})

test('rows from before there were cash-outs reserve nothing of what may be withdrawn', ({
  expect,
}) => {
  const sql = openSqlite()
  const open = () => createSqlLedger(sql, { rules, relayer, now: () => 1_700_000_000_000 })
  const account = '0x1111111111111111111111111111111111111111'
  const claim = (name: string, reserves: Claiming['reserves']) =>
    open().claim({
      ...{ session: name, input: 'i', account, steps: 3, token: name, seen: undefined },
      ...{ chainNonce: 0, poolNonce: 0, reserves },
    })
  const loan = { poolWei: 10n, capWei: 10n }
  const request: SignedRequest = {
    ...{ from: account, to: account, intentId: `0x${'ab'.repeat(32)}`, gas: 1, deadline: 1 },
    ...{ data: '0x', signature: '0x' },
  }
  claim('a', { ...loan, of: { ...loan, block: 1 } })
  open().record({
    ...{ session: 'a', token: 'a', seen: undefined, transaction: undefined },
    ...{ order: { request, label: 'Loan', spendsWei: 0n, reserves: loan } },
    screen: { kind: 'end', lines: [] },
  })
  for (const [table, member] of [
    ['payments', '"reserves_out":null,'],
    ['meta', ',"outWei":"0"'],
  ]) {
    const old = `replace(replace(row, '${member}', ''), '${member?.replaceAll('"', '\\"')}', '')`
    sql.exec(`UPDATE ${table} SET row = ${old}`)
  }
  const rows = [...sql.exec('SELECT row FROM payments'), ...sql.exec('SELECT row FROM meta')]
  expect(JSON.stringify(rows)).not.toMatch(/outWei|reserves_out/)
  const none = { poolWei: 0n, capWei: 0n }
  const out = { ...none, outWei: 5n, of: { ...none, outWei: 5n, block: 1 } }
  expect(claim('b', { ...loan, of: { ...loan, block: 1 } })).toEqual({ kind: 'short' })
  expect(claim('c', out)).toMatchObject({ kind: 'claimed' })
  expect(claim('d', out)).toEqual({ kind: 'short' })
  // Counted again from the payments.
  sql.exec("DELETE FROM meta WHERE name = 'reserved'")
  expect(claim('e', { ...loan, of: { ...loan, block: 1 } })).toEqual({ kind: 'short' })
})
