import { Bench } from 'tinybench'
import { type Address, type Hex, keccak256, toHex } from 'viem'
import { poolRules } from '../../../src/chain/chains.ts'
import { ledgerRules, type Order } from '../../../src/relay/ledger/port.ts'
import { type AnyRow, keyOf, type TableName } from '../../../src/relay/ledger/rows.ts'
import type { Sql } from '../../../src/relay/ledger/stores/sql.ts'
import { apply, createSqlLedger, type SqlLedger } from '../../../src/relay/ledger/stores/sqlite.ts'
import { openSqlite } from '../../dev/sqlite.ts'
import type { World } from '../world.ts'

const sizes = { quick: [1_000, 20_000], full: [1_000, 20_000, 100_000, 1_000_000] }

/**
 * The ledger's steps of one payment, from the look-up to its confirmation, over so many settled ones:
 * the same SQL as in the object, on node:sqlite in memory, so without the disk.
 */
export async function measureClaims({ figures, isFull }: World): Promise<void> {
  for (const rows of isFull ? sizes.full : sizes.quick) {
    const sql = openSqlite()
    const rules = { ...ledgerRules, ...poolRules.anvil }
    const ledger = createSqlLedger(sql, { rules, relayer, now: Date.now })
    settleMany(sql, rows)
    let next = rows
    const bench = new Bench({ iterations: 400, time: 0, warmupIterations: 100, warmupTime: 0 })
    bench.add('claim', () => {
      payOnce(ledger, next)
      next += 1
    })
    const [task] = await bench.run()
    if (task?.result.state !== 'completed') throw new Error('the ledger refuses a claim')
    const { p50, p99 } = task.result.latency
    const over = `over ${rows.toLocaleString('en')} settled`
    figures.add(`claims.${rows}.p50`, `all steps of a payment, ${over}`, 'ms, p50', [p50])
    figures.add(`claims.${rows}.p99`, `all steps of a payment, ${over}`, 'ms, p99', [p99])
  }
}

const accounts = 5_000
const relayer = `0x${'44'.repeat(20)}`
const screen = { kind: 'end' as const, lines: ['Transfer Submitted'] }

/** Rows of payments that were confirmed a day ago, as the ledger itself would have left them. */
function settleMany(sql: Sql, rows: number): void {
  const settledAt = Date.now() - 24 * 60 * 60 * 1000
  const insert = (table: TableName, row: AnyRow) => {
    apply(sql, { table, key: keyOf(table, row), before: undefined, after: row })
  }
  sql.transaction(() => {
    for (let index = 0; index < rows; index++) {
      for (const [table, row] of settledRows(index, settledAt + index)) insert(table, row)
    }
    for (let index = 0; index < Math.min(rows, accounts); index++) {
      const seen = Math.ceil((rows - index) / accounts)
      insert('accounts', { account: accountOf(index), open: [], claims: [], seen })
    }
    insert('relayers', { relayer, leases: [], open: [], top: rows - 1 })
  })
}

function settledRows(index: number, at: number): [TableName, AnyRow][] {
  const session = idOf('settled', index)
  const request = { ...requestOf(index), intentId: idOf('settled intent', index) }
  const [hash, block_hash] = [idOf('settled hash', index), idOf('settled block', index)]
  const none = {
    reserves_pool: null,
    reserves_cap: null,
    reserves_out: null,
  }
  const block = { block_number: index, block_hash }
  const mined = { outcome: 'executed', reason: '', hash, ...block }
  const times = { accepted_at: at, history: [['signed', at]] }
  const place = { phase: 'settled', since: at, relayer, nonce: index, attempts: 0 }
  const done = { state: 'mined', session, hash, ...block, phase: 'done', changed_at: at }
  const bytes = { raw: `0x${'ab'.repeat(450)}`, gas_price: '60000000' }
  const named = { session, account: request.from }
  const decided = { input: idOf('input', index), steps: 3, screen, token: null, lease_until: null }
  return [
    ['sessions', { ...named, state: 'accepted', ...decided, decided_at: at }],
    [
      'payments',
      {
        ...{ ...named, state: 'confirmed', intent_id: request.intentId, label: 'Transfer' },
        ...{ spends: '10', request, ...none, ...mined, ...times, ...place },
      },
    ],
    ['intents', { intent_id: request.intentId, session }],
    ['nonces', { relayer, nonce: index, bytes: [[hash, '60000000']], ...done }],
    [
      'transactions',
      { hash, relayer, nonce: index, session, ...bytes, recorded_at: at, sent_at: at, failures: 0 },
    ],
    [
      'blocks',
      {
        hash: block_hash,
        number: index,
        nonces: [[relayer, index]],
        sessions: [session],
        changed_at: at,
      },
    ],
  ]
}

function payOnce(ledger: SqlLedger, index: number): void {
  const session = idOf('session', index)
  const account = accountOf(index)
  const question = { session, input: idOf('input', index), account }
  const view = ledger.lookup(question)
  if (view.kind !== 'undecided') throw new Error(`a new session is ${view.kind}`)
  const token = `token-${index}`
  const counts = { chainNonce: index, poolNonce: index, steps: 3, token, seen: view.seen }
  const claim = ledger.claim({ ...question, ...counts })
  if (claim.kind !== 'claimed' || claim.slot === undefined) throw new Error(`claim: ${claim.kind}`)
  const { nonce } = claim.slot
  const hash = idOf('hash', index)
  const transaction = { nonce, hash, raw: `0x${'ab'.repeat(450)}` as Hex, gasPriceWei: 60_000_000n }
  const order: Order = { request: requestOf(index), label: 'Transfer', spendsWei: 10n }
  ledger.record({ session, token, seen: undefined, order, screen, transaction })
  ledger.sent(hash, true)
  const block = { number: index, hash: idOf('block', index) }
  const execution = { outcome: 'executed', reason: '', hash, block } as const
  ledger.mined({ nonce, session, hash, block, execution })
  ledger.confirm(session, block.hash)
}

function requestOf(index: number): Order['request'] {
  return {
    from: accountOf(index),
    to: `0x${'11'.repeat(20)}`,
    intentId: idOf('intent', index),
    gas: 150_000,
    deadline: Math.floor(Date.now() / 1000) + 7_200,
    data: `0x${'22'.repeat(68)}`,
    signature: `0x${'33'.repeat(65)}`,
  }
}

function accountOf(index: number): Address {
  return `0x${(index % accounts).toString(16).padStart(40, '0')}`
}

function idOf(kind: string, index: number): Hex {
  return keccak256(toHex(`${kind} ${index}`))
}
