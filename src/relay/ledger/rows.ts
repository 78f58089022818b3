import { z } from 'zod'
import { type PaymentState, phases } from './transitions.ts'

const text = z.string()
const integer = z.int()
const matching = (pattern: RegExp, words: string) =>
  z.custom<`0x${string}`>((value) => typeof value === 'string' && pattern.test(value), words)
const hex = matching(/^0x[0-9a-f]*$/i, 'is not hex')
const address = matching(/^0x[0-9a-f]{40}$/i, 'is not an address')
/** An amount, which outgrows the numbers of SQLite, Lua and JSON. */
const wei = text.regex(/^[0-9]{1,78}$/)
const state = z.enum(Object.keys(phases) as PaymentState[])

/** Which block has it; null where none does. */
const inBlock = {
  hash: hex.nullable(),
  block_number: integer.nullable(),
  block_hash: hex.nullable(),
}

/** What a payment is to operators and to its caller, as long as anything is known of it. */
const payment = {
  session: text,
  state,
  intent_id: hex,
  account: text,
  /** Whose account gains, as a keyed digest. Null: the payer does not tell. */
  counterparty: text.nullable(),
  label: text,
  /** What it takes from the account; null, of the pool, the daily cap and the gas: nothing is reserved. */
  spends: wei,
  reserves_pool: wei.nullable(),
  reserves_cap: wei.nullable(),
  reserves_gas: wei.nullable(),
  attempts: integer,
  outcome: z.enum(['executed', 'failed']).nullable(),
  reason: text.nullable(),
  ...inBlock,
  accepted_at: integer,
  /** Each state that it came to, and when (Unix time in ms). */
  history: z.array(z.tuple([state, integer])),
}

const request = z.object({
  from: address,
  to: address,
  intentId: hex,
  gas: integer,
  deadline: integer,
  data: hex,
  signature: hex,
})

/** Who holds a nonce before anything is recorded for it. Without a token it is free. */
const lease = z.object({
  nonce: integer,
  token: text.nullable(),
  until: integer,
  session: text.nullable(),
})

const screen = z.object({ kind: z.enum(['ask', 'end']), lines: z.array(text).readonly() })

/** Each table: what a row holds, the columns that name it, and the lists that it is found in. */
export const tables = {
  meta: table(['name'], { name: text, value: text }),
  sessions: table(
    ['session'],
    {
      session: text,
      state: z.enum(['claimed', 'refused', 'accepted']),
      account: text,
      input: text,
      steps: integer,
      screen: screen.nullable(),
      token: text.nullable(),
      lease_until: integer.nullable(),
      decided_at: integer,
    },
    { age: { group: undefined, score: 'decided_at' } },
  ),
  payments: table(
    ['session'],
    {
      ...payment,
      request,
      phase: z.enum(['waiting', 'stuck', 'carried', 'mined', 'settled']),
      /** Orders its phase: the time of acceptance; of settlement once settled. */
      since: integer,
      relayer: text.nullable(),
      nonce: integer.nullable(),
    },
    {
      phase: { group: 'phase', score: 'since' },
      account: { group: 'account', score: 'accepted_at' },
    },
  ),
  intents: table(['intent_id'], { intent_id: hex, session: text }),
  accounts: table(['account'], {
    account: text,
    /** Payments that are not settled, the oldest first: session, nonce, time of acceptance. */
    open: z.array(z.tuple([text, integer.nullable(), integer])),
    /** Sessions between claim and record, and until when. */
    claims: z.array(z.tuple([text, integer])),
    /** Payments that the ledger has. */
    seen: integer,
  }),
  relayers: table(['relayer'], {
    relayer: text,
    leases: z.array(lease),
    /** Nonces with recorded bytes that no block holds, the lowest first. */
    open: z.array(integer),
    /** The highest nonce that was used, by whatever. */
    top: integer.nullable(),
  }),
  nonces: table(
    ['relayer', 'nonce'],
    {
      relayer: text,
      nonce: integer,
      state: z.enum(['recorded', 'mined', 'foreign', 'abandoned']),
      session: text.nullable(),
      /** Everything ever signed for it, with its gas price. */
      bytes: z.array(z.tuple([hex, wei])),
      ...inBlock,
      /** Null while it is recorded: such a row has no age. */
      phase: z.literal('done').nullable(),
      changed_at: integer,
    },
    {
      phase: { group: 'phase', score: 'changed_at' },
      number: { group: 'relayer', score: 'nonce' },
    },
  ),
  transactions: table(['hash'], {
    hash: hex,
    relayer: text,
    nonce: integer,
    /** The payment that it carries. */
    session: text.nullable(),
    raw: hex,
    gas_price: wei,
    recorded_at: integer,
    sent_at: integer.nullable(),
  }),
  blocks: table(
    ['hash'],
    {
      hash: hex,
      number: integer,
      /** What a reorganization takes back with it: nonces by relayer, payments by session. */
      nonces: z.array(z.tuple([text, integer])),
      sessions: z.array(text),
    },
    { number: { group: undefined, score: 'number' } },
  ),
  history: table(
    ['intent_id', 'accepted_at'],
    { ...payment, settled_at: integer },
    { age: { group: undefined, score: 'settled_at' } },
  ),
}

export type TableName = keyof typeof tables
export type Row<Name extends TableName> = z.infer<(typeof tables)[Name]['row']>
export type Key = readonly (string | number)[]

/** Rows of one list: of a group, by their score, the lowest first unless `newest`. */
export type Listing<Name extends TableName> = {
  table: Name
  list: keyof (typeof tables)[Name]['lists'] & string
  group?: string
  /** Scores from here on. */
  from?: number
  /** Scores that are times, from longer ago than this. */
  olderThanMs?: number
  limit: number
  newest?: boolean
}

/** What a store shows to a step at a time (Unix time in ms). Rows are never changed in place. */
export type View = {
  row<Name extends TableName>(table: Name, ...key: Key): Row<Name> | undefined
  list<Name extends TableName>(listing: Listing<Name>, now: number): Row<Name>[]
}

/** One row of a step's outcome: as it was read, and as it is from now on. */
export type Write = {
  table: TableName
  key: Key
  before: AnyRow | undefined
  after: AnyRow | undefined
}

/** A row as a store keeps it: it knows columns, and nothing of what they mean. */
export type AnyRow = Readonly<Record<string, unknown>>

/** How a list finds its rows; without a group all of them. */
export type ListColumns = { group: string | undefined; score: string }

/** A table as stores see it. */
export type AnyTable = {
  key: readonly string[]
  row: z.ZodObject
  lists: Readonly<Record<string, ListColumns>>
}

export const tableNames = Object.keys(tables) as TableName[]
export const anyTable = (name: TableName): AnyTable => tables[name]

/** What a row is called in the whole ledger. */
export const nameOf = (table: TableName, key: Key): string => [table, ...key].join(':')

/** The columns that name a row. */
export const keyOf = (table: TableName, row: AnyRow): Key =>
  anyTable(table).key.map((column) => row[column] as string | number)

/**
 * A row from the text that {@link JSON.stringify} made of it.
 *
 * @throws {z.ZodError} it is not a row of this table
 */
export const parseRow = (table: TableName, json: string): AnyRow =>
  anyTable(table).row.parse(JSON.parse(json))

/** The group and score under which a row is listed; undefined where it is not. */
export function placeOf(
  { group, score }: ListColumns,
  row: AnyRow | undefined,
): { group: string; score: number } | undefined {
  const name = group === undefined ? '' : row?.[group]
  if (row === undefined || name === null) return undefined
  return { group: `${name}`, score: Number(row[score]) }
}

function table<Shape extends z.ZodRawShape, Lists extends AnyTable['lists'] = Record<never, never>>(
  key: readonly (keyof Shape & string)[],
  shape: Shape,
  lists: Lists = {} as Lists,
) {
  return { key, row: z.object(shape), lists }
}
