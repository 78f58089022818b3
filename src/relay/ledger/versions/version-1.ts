import { createDraft, type Draft, type Writes } from '../draft.ts'
import { saveNonce } from '../life/nonces.ts'
import { noBlock, placeIn, savePayment } from '../life/payments.ts'
import { accountOf, noteClaim } from '../life/sums.ts'
import type { LedgerRules } from '../port.ts'
import { type AnyRow, type Row, type TableName, tables, type View, type Write } from '../rows.ts'
import { screenOf } from './previous.ts'

/** A row of schema 1: SQLite has null where Redis has no field, and numbers where that has text. */
export type OldRow = Readonly<Record<string, unknown>>

/** The rows of schema 1, one ledger a relayer key. */
export type Version1 = {
  /** By their names. */
  meta: Readonly<Record<string, string>>
} & Readonly<Record<'sessions' | 'payments' | 'nonces' | 'transactions', readonly OldRow[]>>

/** An empty ledger, which a migration writes on. */
const nothing: View = { row: () => undefined, list: () => [] }

/**
 * What becomes of the rows of schema 1: they are put on an empty ledger one after the other, and what
 * sums them follows. Those that were made by another key than the given one are that key's. Migrations
 * lead forward only.
 *
 * @throws {Error} a row does not fit: its table, key and columns are told, and no content
 */
export function fromVersion1(
  old: Version1,
  { relayer: configured, rules, now }: { relayer: string; rules: LedgerRules; now: number },
): Write[] {
  const writes: Writes = new Map()
  const rows = createDraft(nothing, now, writes)
  const relayer = old.meta['identity.RELAYER_MNEMONIC'] ?? configured
  for (const [name, value] of Object.entries(old.meta))
    rows.put('meta', of('meta', { name, value }))
  for (const row of old.payments) putPayment(rows, rules, relayer, row)
  for (const row of old.sessions) putSession(rows, row)
  const carried = new Map(old.payments.map((row) => [`${row.nonce}`, row.session]))
  for (const row of old.transactions) {
    const session = carried.get(`${row.nonce}`) ?? null
    rows.put('transactions', of('transactions', { ...row, relayer, session, failures: 0 }))
  }
  putNonces(rows, relayer, old)
  return [...writes.values()]
}

const numbers = new Set(
  ['attempts', 'nonce', 'steps', 'block_number', 'lease_until', 'until'].concat([
    'accepted_at',
    'changed_at',
    'decided_at',
    'recorded_at',
    'sent_at',
    'since',
  ]),
)

/** A row of today. Columns that it does not have are left out, and those that are missing are null. */
function of<Name extends TableName>(table: Name, row: AnyRow): Row<Name> {
  const { shape } = tables[table].row
  const columns = Object.keys(shape).map((column) => {
    const value = row[column] ?? null
    return [column, numbers.has(column) && value !== null ? Number(value) : value]
  })
  const result = tables[table].row.safeParse(Object.fromEntries(columns))
  if (result.success) return result.data as Row<Name>
  const key = tables[table].key.map((column) => row[column]).join(' ')
  const wrong = result.error.issues.map(({ path }) => path.join('.')).join(', ')
  throw new Error(`schema 1: ${table} ${key} does not parse: ${wrong}`)
}

function putPayment(rows: Draft, rules: LedgerRules, relayer: string, old: OldRow): void {
  const state = old.state as Row<'payments'>['state']
  const [attempts, acceptedAt, changedAt] = [old.attempts, old.accepted_at, old.changed_at].map(
    Number,
  ) as [number, number, number]
  const payment = of('payments', {
    ...old,
    request: JSON.parse(`${old.request}`),
    relayer: (old.nonce ?? null) === null ? null : relayer,
    ...placeIn(rules, state, attempts, acceptedAt, changedAt),
    history: [[state, changedAt]],
  })
  savePayment(rows, undefined, payment)
  rows.put('intents', of('intents', old))
}

function putSession(rows: Draft, old: OldRow): void {
  const screen = typeof old.screen === 'string' ? screenOf(old.screen) : null
  const session = of('sessions', { ...old, screen })
  rows.put('sessions', session)
  const { state, account, lease_until: until } = session
  if (state !== 'claimed' || until === null || until <= rows.now) return
  noteClaim(rows, accountOf(rows, account), session.session, until)
}

/** Leases are the relayer's by now, and a nonce without a row that has bytes was given up. */
function putNonces(rows: Draft, relayer: string, { nonces, transactions }: Version1): void {
  const signed = Map.groupBy(transactions, ({ nonce }) => `${nonce}`)
  const bytesOf = (nonce: unknown) =>
    (signed.get(`${nonce}`) ?? []).map(({ hash, gas_price }) => [hash, gas_price])
  const leases = nonces
    .filter(({ state }) => state === 'leased')
    .map(({ nonce, token = null, session = null, lease_until }) => ({
      ...{ nonce: Number(nonce), token, session, until: Number(lease_until ?? 0) },
    }))
  rows.put('relayers', of('relayers', { relayer, leases, open: [], top: null }))
  const recorded = nonces.filter(({ state }) => state !== 'leased')
  const known = new Set(recorded.map(({ nonce }) => `${nonce}`))
  const abandoned = transactions
    .filter(({ nonce }) => !known.has(`${nonce}`))
    .map(({ nonce, recorded_at }) => ({
      ...{ nonce, state: 'abandoned', session: null, ...noBlock, changed_at: recorded_at },
    }))
  for (const row of [...abandoned, ...recorded]) {
    const phase = row.state === 'recorded' ? null : 'done'
    saveNonce(rows, of('nonces', { ...row, relayer, phase, bytes: bytesOf(row.nonce) }))
  }
}
