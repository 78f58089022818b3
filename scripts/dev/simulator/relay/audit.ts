import type { Row, TableName } from '../../../../src/relay/ledger/rows.ts'
import type { Sql } from '../../../../src/relay/ledger/stores/sqlite.ts'

function rowsOf<Name extends TableName>(storage: Sql, table: Name): Row<Name>[] {
  return storage.exec<{ row: string }>(`SELECT row FROM ${table}`).map(({ row }) => JSON.parse(row))
}

/** Finds sums that do not add up in the rows of a ledger in which nothing is open. */
export function* wrongSums(storage: Sql): Generator<string> {
  const payments = rowsOf(storage, 'payments')
  const unkept = [...payments, ...rowsOf(storage, 'history')].filter(isUnkept)
  const nonces = rowsOf(storage, 'nonces')
  for (const { account, seen } of rowsOf(storage, 'accounts')) {
    const there = payments.filter((payment) => payment.account === account).length
    if (seen !== there) yield `account ${account} has seen ${seen} payments and has ${there}`
  }
  for (const { relayer, open, top } of rowsOf(storage, 'relayers')) {
    const used = nonces.filter(
      (row) => row.relayer === relayer && (row.state === 'mined' || row.state === 'foreign'),
    )
    const highest = Math.max(-1, ...used.map(({ nonce }) => nonce))
    if (open.length > 0) yield `relayer ${relayer} has open nonces, and none is`
    if ((top ?? -1) < highest) yield `relayer ${relayer} counts from ${top} and used ${highest}`
  }
  for (const { name, value } of rowsOf(storage, 'meta')) {
    if (name === 'queue' && JSON.parse(value).waiting !== 0) yield `the queue is ${value}`
    if (name === 'reserved') yield* wrongReserves(JSON.parse(value), payments)
    const isBacked = payments.some(({ backed }) => backed) || unkept.length > 0
    if (name === 'backed' && value !== '"0"' && !isBacked)
      yield `${value} wei are backed for nothing`
    if (name === 'unkept' && JSON.parse(value).count !== unkept.length)
      yield `${JSON.parse(value).count} final payments are unkept, not ${unkept.length}`
    if (name === 'missing') yield `rows are missing: ${value}`
  }
  const settled = payments.filter(({ block_hash }) => block_hash !== null)
  const blocks = rowsOf(storage, 'blocks')
  for (const { session, block_hash } of settled) {
    const block = blocks.find(({ hash }) => hash === block_hash)
    if (block?.sessions.includes(session) !== true) yield `no block holds the payment of ${session}`
  }
  for (const { relayer, nonce, state, block_hash } of nonces) {
    const block = blocks.find(({ hash }) => hash === block_hash)
    const isHeld = block?.nonces.some(([by, held]) => by === relayer && held === nonce) === true
    if (isHeld !== (state === 'mined')) yield `nonce ${nonce} is ${state}, in a block: ${isHeld}`
  }
  const transactions = rowsOf(storage, 'transactions')
  for (const { session, relayer, nonce, hash } of payments) {
    const isOf = (row: { relayer: string; nonce: number }) =>
      row.relayer === relayer && row.nonce === nonce
    const carrier = nonces.find(isOf)
    // A payment that a transaction of no nonce of ours has settled needs its nonce no more.
    const isCarried = transactions.some((row) => row.hash === hash && isOf(row))
    const isLost = carrier !== undefined && !carrier.sessions.includes(session)
    if (isCarried && isLost) yield `${session} has lost its nonce`
  }
}

/** Tells whether a payment was final and failed: each counts once, also when it happened later. */
const isUnkept = ({ assured_at, history }: Pick<Row<'payments'>, 'assured_at' | 'history'>) =>
  assured_at !== undefined && history.some(([state]) => state === 'reverted' || state === 'expired')

type Reserved = {
  open: { poolWei: string; capWei: string }
  blocks: { number: number; poolWei: string; capWei: string }[]
}

/** With nothing open nothing is reserved but what blocks hold that a view may be older than. */
function* wrongReserves(
  { open, blocks }: Reserved,
  payments: readonly Row<'payments'>[],
): Generator<string> {
  if (open.poolWei !== '0' || open.capWei !== '0') {
    yield `${open.poolWei} wei of the pool and ${open.capWei} of the cap are reserved for nothing`
  }
  for (const { number, poolWei } of blocks) {
    const held = payments.filter((one) => one.block_number === number && one.outcome === 'executed')
    const sumOf = (rows: typeof held) =>
      rows.reduce((wei, payment) => wei + BigInt(payment.reserves_pool ?? 0), 0n)
    if (BigInt(poolWei) !== sumOf(held))
      yield `${poolWei} wei are reserved in block ${number}, not ${sumOf(held)}`
  }
}
