import { z } from 'zod'
import { placeIn } from './payments.ts'
import type { LedgerRules } from './port.ts'
import { screenOf } from './previous.ts'
import { type AnyRow, type Row, type TableName, tables } from './rows.ts'
import { isUnsettled } from './transitions.ts'

/**
 * The rows of schema 1, one ledger a relayer key, as SQLite and Redis had them, and what becomes of
 * them. Migrations lead forward only.
 */
const number = z.coerce.number()
const optionalNumber = number.nullable().default(null)
const text = z.string().nullable().default(null)

const session = z.object({
  session: z.string(),
  state: z.enum(['claimed', 'refused', 'accepted']),
  account: z.string(),
  input: z.string(),
  steps: number,
  screen: text,
  token: text,
  lease_until: optionalNumber,
  decided_at: number,
})

const payment = z.object({
  session: z.string(),
  state: z.enum(['queued', 'signed', 'broadcast', 'mined', 'confirmed', 'reverted', 'expired']),
  intent_id: z.string(),
  account: z.string(),
  label: z.string(),
  spends: z.string(),
  request: z.string(),
  nonce: optionalNumber,
  attempts: number,
  outcome: text,
  reason: text,
  hash: text,
  block_number: optionalNumber,
  block_hash: text,
  accepted_at: number,
  changed_at: number,
})

const nonce = z.object({
  nonce: number,
  state: z.enum(['leased', 'recorded', 'mined', 'foreign']),
  session: text,
  token: text,
  lease_until: optionalNumber,
  hash: text,
  block_number: optionalNumber,
  block_hash: text,
  changed_at: number,
})

const transaction = z.object({
  hash: z.string(),
  nonce: number,
  raw: z.string(),
  gas_price: z.string(),
  recorded_at: number,
  sent_at: optionalNumber,
})

const ledger = z.object({
  /** By their names. */
  meta: z.record(z.string(), z.string()),
  sessions: z.array(session),
  payments: z.array(payment),
  nonces: z.array(nonce),
  transactions: z.array(transaction),
})

export type Version1 = z.infer<typeof ledger>

type OldPayment = Version1['payments'][number]

/** A row of the schema of today. */
export type AnyNewRow = { table: TableName; row: AnyRow }

/** The rows of today. Those that were made by another key than the given one are that key's. */
export function fromVersion1(
  given: unknown,
  { relayer: configured, rules, now }: { relayer: string; rules: LedgerRules; now: number },
): AnyNewRow[] {
  const old = parsed(given)
  const relayer = old.meta['identity.RELAYER_MNEMONIC'] ?? configured
  const carried = new Map(old.payments.map((row) => [row.nonce, row.session]))
  return [
    ...Object.entries(old.meta).map(([name, value]) => of('meta', { name, value })),
    ...old.sessions.map(({ screen, ...row }) =>
      of('sessions', { ...row, screen: screen === null ? null : screenOf(screen) }),
    ),
    ...old.payments.map((row) => of('payments', paymentOf(row, relayer, rules))),
    ...old.payments.map((row) => of('intents', { intent_id: row.intent_id, session: row.session })),
    ...old.transactions.map((row) =>
      of('transactions', { ...row, relayer, session: carried.get(row.nonce) ?? null }),
    ),
    ...noncesOf(old, relayer),
    ...accountsOf(old, now),
    ...blocksOf(old, relayer),
  ]
}

/** A row that does not fit stops the migration: its table, key and columns are told, and no content. */
function parsed(given: unknown): Version1 {
  const result = ledger.safeParse(given)
  if (result.success) return result.data
  const [table, index, ...columns] = result.error.issues[0]?.path ?? []
  const rows = (given as Readonly<Record<string, unknown>>)[`${String(table)}`]
  const row = Array.isArray(rows) ? rows[Number(index)] : undefined
  const key = row?.session ?? row?.hash ?? row?.nonce ?? index
  throw new Error(`schema 1: ${String(table)} ${key} does not parse: ${columns.join('.')}`)
}

function of(table: TableName, row: AnyRow): AnyNewRow {
  const result = tables[table].row.safeParse(row)
  if (result.success) return { table, row: result.data }
  const key = tables[table].key.map((column) => row[column]).join(' ')
  const columns = result.error.issues.map(({ path }) => path.join('.')).join(', ')
  throw new Error(`schema 1: what becomes ${table} ${key} does not parse: ${columns}`)
}

function paymentOf(
  { changed_at, request, ...row }: OldPayment,
  relayer: string,
  rules: LedgerRules,
): AnyRow {
  return {
    ...row,
    ...{ counterparty: null, reserves_pool: null, reserves_cap: null, reserves_gas: null },
    request: JSON.parse(request),
    relayer: row.nonce === null ? null : relayer,
    ...placeIn(rules, row.state, row.attempts, row.accepted_at, changed_at),
    history: [[row.state, changed_at]],
  }
}

/** Leases are the relayer's by now, and a nonce without a row that has bytes was given up. */
function noncesOf({ nonces, transactions }: Version1, relayer: string): AnyNewRow[] {
  const bytes = Map.groupBy(transactions, (row) => row.nonce)
  const bytesOf = (number: number) =>
    (bytes.get(number) ?? []).map((row) => [row.hash, row.gas_price])
  const recorded = nonces.filter(({ state }) => state !== 'leased')
  const leased = nonces.filter(({ state }) => state === 'leased')
  const numbers = new Set(recorded.map((row) => row.nonce))
  const abandoned = transactions.filter((row) => !numbers.has(row.nonce))
  const used = recorded.filter(({ state }) => state !== 'recorded').map((row) => row.nonce)
  const open = recorded.filter(({ state }) => state === 'recorded').map((row) => row.nonce)
  const nothing = { session: null, hash: null, block_number: null, block_hash: null }
  return [
    ...recorded.map(({ token: _, lease_until: __, ...row }) =>
      of('nonces', {
        ...{ ...row, relayer, bytes: bytesOf(row.nonce) },
        phase: row.state === 'recorded' ? null : 'done',
      }),
    ),
    ...[...new Map(abandoned.map((row) => [row.nonce, row.recorded_at]))].map(([number, at]) =>
      of('nonces', {
        ...{ ...nothing, relayer, nonce: number, state: 'abandoned', phase: 'done' },
        ...{ bytes: bytesOf(number), changed_at: at },
      }),
    ),
    of('relayers', {
      relayer,
      leases: leased.map((row) => ({
        ...{ nonce: row.nonce, token: row.token, session: row.session },
        until: row.lease_until ?? 0,
      })),
      open: open.sort((a, b) => a - b),
      top: used.length === 0 ? null : Math.max(...used),
    }),
  ]
}

function accountsOf({ sessions, payments }: Version1, now: number): AnyNewRow[] {
  const accounts = new Map<string, Row<'accounts'>>()
  const known = (account: string): Row<'accounts'> => {
    const row = accounts.get(account) ?? { account, open: [], claims: [], seen: 0 }
    accounts.set(account, row)
    return row
  }
  for (const row of payments.sort((a, b) => a.accepted_at - b.accepted_at)) {
    const account = known(row.account)
    account.seen += 1
    if (isUnsettled(row.state)) account.open.push([row.session, row.nonce, row.accepted_at])
  }
  for (const { state, account, session: name, lease_until: until } of sessions) {
    if (state === 'claimed' && until !== null && until > now)
      known(account).claims.push([name, until])
  }
  return [...accounts.values()].map((row) => of('accounts', row))
}

function blocksOf({ payments, nonces }: Version1, relayer: string): AnyNewRow[] {
  const blocks = new Map<string, { number: number; nonces: unknown[]; sessions: string[] }>()
  const known = (hash: string, number: number) => {
    const row = blocks.get(hash) ?? { number, nonces: [], sessions: [] }
    blocks.set(hash, row)
    return row
  }
  for (const row of payments) {
    if (row.block_hash === null || row.block_number === null) continue
    known(row.block_hash, row.block_number).sessions.push(row.session)
  }
  for (const row of nonces) {
    if (row.block_hash === null || row.block_number === null) continue
    known(row.block_hash, row.block_number).nonces.push([relayer, row.nonce])
  }
  return [...blocks].map(([hash, row]) => of('blocks', { ...row, hash }))
}
