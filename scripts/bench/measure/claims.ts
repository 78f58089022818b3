import { Bench } from 'tinybench'
import { type Address, type Hex, keccak256, toHex } from 'viem'
import { poolRules } from '../../../src/chain/chains.ts'
import { ledgerRules, type Order } from '../../../src/relay/ledger.ts'
import { createSqlLedger, type SqlLedger } from '../../../src/relay/ledger-sql.ts'
import type { Sql } from '../../../src/relay/sql.ts'
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
    const ledger = createSqlLedger(sql, rules, Date.now)
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

/** Rows of payments that were confirmed a day ago, as the ledger itself would have left them. */
function settleMany(sql: Sql, rows: number): void {
  const settledAt = Date.now() - 24 * 60 * 60 * 1000
  const counted = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows - 1})`
  const key = (kind: string) => `printf('0x%s%062x', '${kind}', i)`
  const account = `printf('0x%040x', i % 5000)`
  const request = JSON.stringify(requestOf(0)).replaceAll("'", "''")
  sql.transaction(() => {
    sql.exec(`${counted} INSERT INTO sessions SELECT ${key('aa')}, 'accepted', ${account}, ${key('bb')},
      3, 'END Transfer Submitted', NULL, NULL, ${settledAt} + i FROM n`)
    sql.exec(`${counted} INSERT INTO payments SELECT ${key('aa')}, 'confirmed', ${key('cc')}, ${account},
      'Transfer', '10', '${request}', i, 0, 'executed', '', ${key('dd')}, i, ${key('ee')},
      ${settledAt} + i, ${settledAt} + i FROM n`)
    sql.exec(`${counted} INSERT INTO nonces SELECT i, 'mined', ${key('aa')}, NULL, NULL, ${key('dd')},
      i, ${key('ee')}, ${settledAt} + i FROM n`)
    sql.exec(`${counted} INSERT INTO transactions SELECT ${key('dd')}, i, '0x${'ab'.repeat(450)}',
      '60000000', ${settledAt} + i, ${settledAt} + i FROM n`)
  })
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
  ledger.record({ session, token, order, reply: 'END Transfer Submitted', transaction })
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
  return `0x${(index % 5000).toString(16).padStart(40, '0')}`
}

function idOf(kind: string, index: number): Hex {
  return keccak256(toHex(`${kind} ${index}`))
}
