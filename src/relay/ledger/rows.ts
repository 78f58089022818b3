import * as z from 'zod/mini'
import { kindNames } from '../../loan/kinds.ts'
import { paymentStates, phaseNames } from './transitions.ts'

/** The layout of the rows. */
export const schemaVersion = '5'

/** Whom a payment's message tells of its outcome. */
export const smsParties = ['sender', 'receiver'] as const

/** Several names for one thing: columns of one type, methods of one kind. */
export const each = <Value, Name extends string>(value: Value, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>

const text = z.string()
const integer = z.int()
const [textOrNull, integerOrNull] = [z.nullable(text), z.nullable(integer)]
const matching = (pattern: RegExp, words: string) =>
  z.custom<`0x${string}`>((value) => typeof value === 'string' && pattern.test(value), words)
const hex = matching(/^0x[0-9a-f]*$/i, 'is not hex')
const address = matching(/^0x[0-9a-f]{40}$/i, 'is not an address')
/** An amount, which outgrows the numbers of SQLite, Lua and JSON. */
const wei = text.check(z.regex(/^[0-9]{1,78}$/))
const state = z.enum(paymentStates)
const screen = z.object({ kind: z.enum(['ask', 'end']), lines: z.readonly(z.array(text)) })

/** Which transaction and block have it; null where none does. */
const inBlock = { ...each(z.nullable(hex), 'hash', 'block_hash'), block_number: integerOrNull }

/** What a payment is to operators and to its caller, as long as anything is known of it. */
const payment = {
  ...each(text, 'session', 'account'),
  intent_id: hex,
  kind: z.enum(kindNames),
  state,
  /** What it takes from the account. */
  spends: wei,
  /** What it takes of the pool, the daily cap and the limit of withdrawals; null: nothing is reserved. */
  ...each(z.nullable(wei), 'reserves_pool', 'reserves_cap', 'reserves_out'),
  outcome: z.nullable(z.enum(['executed', 'failed'])),
  reason: textOrNull,
  ...inBlock,
  ...each(integer, 'attempts', 'accepted_at'),
  /** Each state that it came to, and when (Unix time in ms). */
  history: z.array(z.tuple([state, integer])),
}

const request = z.object({
  from: address,
  intentId: hex,
  ...each(integer, 'gas', 'deadline'),
  ...each(hex, 'data', 'signature'),
})

/** Each table: the columns that name a row, what it holds, and the lists that it is found in. */
export const tables = {
  meta: table(['name'], each(text, 'name', 'value')),
  sessions: table(
    ['session'],
    {
      ...each(text, 'session', 'account', 'input'),
      state: z.enum(['refused', 'accepted']),
      screen,
      ...each(integer, 'steps', 'decided_at'),
    },
    { age: { group: undefined, score: 'decided_at' } },
  ),
  /** What steps of sessions showed, by a name each: later deliveries go by it. */
  shown: table(
    ['session', 'step', 'name'],
    { ...each(text, 'session', 'step', 'name', 'value'), shown_at: integer },
    { age: { group: undefined, score: 'shown_at' } },
  ),
  payments: table(
    ['session'],
    {
      ...payment,
      request,
      phase: z.enum(phaseNames),
      /** Orders its phase: the time of acceptance; of settlement once settled. */
      since: integer,
      relayer: textOrNull,
      nonce: integerOrNull,
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
    open: z.array(z.tuple([text, integerOrNull, integer])),
    /** Payments that the ledger has. */
    seen: integer,
  }),
  relayers: table(['relayer'], {
    relayer: text,
    /** Nonces with recorded bytes that no block holds, the lowest first, and how many payments each carries. */
    open: z.array(z.tuple([integer, integer])),
    /** The highest nonce that was used, by whatever. */
    top: integerOrNull,
  }),
  nonces: table(
    ['relayer', 'nonce'],
    {
      relayer: text,
      state: z.enum(['recorded', 'mined', 'foreign', 'abandoned']),
      /** The payments that it carries, in the order of their requests. */
      sessions: z.array(text),
      /** Everything ever signed for it, with its gas price. */
      bytes: z.array(z.tuple([hex, wei])),
      ...inBlock,
      /** Null while it is recorded: such a row has no age. */
      phase: z.nullable(z.literal('done')),
      ...each(integer, 'nonce', 'changed_at'),
    },
    {
      phase: { group: 'phase', score: 'changed_at' },
      number: { group: 'relayer', score: 'nonce' },
    },
  ),
  transactions: table(['hash'], {
    ...each(hex, 'hash', 'raw'),
    relayer: text,
    /** The payments whose requests are in it. */
    sessions: z.array(text),
    gas_price: wei,
    ...each(integer, 'nonce', 'recorded_at'),
    sent_at: integerOrNull,
    /** How often in a row it was offered and no node took it. */
    failures: integer,
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
  notices: table(
    ['id'],
    {
      ...each(text, 'id', 'name', 'says'),
      kind: z.enum(['raised', 'cleared']),
      ...each(integer, 'raised_at', 'at', 'due_at', 'attempts'),
    },
    { due: { group: undefined, score: 'due_at' } },
  ),
  sms: table(
    ['session', 'party'],
    {
      session: text,
      party: z.enum(smsParties),
      /** To whom it goes and what about, sealed by who made it: nothing here can read it. */
      sealed: text,
      /** Held until the outcome is final, then due, then taken by who sends it. */
      state: z.enum(['held', 'due', 'taken']),
      /** Since when it is in its state; of one that is due, from when on it is sent. */
      at: integer,
      attempts: integer,
    },
    { state: { group: 'state', score: 'at' } },
  ),
  /** Accounts that were opened under a former form of a number, by those of its present form. */
  aliases: table(
    ['account'],
    { ...each(text, 'account', 'former'), kept_at: integer },
    { age: { group: undefined, score: 'kept_at' } },
  ),
  audit: table(
    ['id'],
    { ...each(text, 'id', 'action'), at: integer, detail: z.record(text, text) },
    { age: { group: undefined, score: 'at' } },
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
  /** Scores below this. */
  before?: number
  /** Scores that are times, from longer ago than this. */
  olderThanMs?: number
  limit: number
  newest?: boolean
  /** The sum of these rows, asked for before them. Whether it is there may not be known yet: then none is listed. */
  unless?: readonly [TableName, ...Key]
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
  row: z.ZodMiniObject
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
 * @throws {z.core.$ZodError} it is not a row of this table
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

function table<
  Shape extends z.core.$ZodShape,
  Lists extends AnyTable['lists'] = Record<never, never>,
>(key: readonly (keyof Shape & string)[], shape: Shape, lists: Lists = {} as Lists) {
  return { key, row: z.object(shape), lists }
}

/** Writes the number of the layout into a ledger that has none. */
export const schemaWrite: Write = {
  ...{ table: 'meta', key: ['schema'], before: undefined },
  after: { name: 'schema', value: schemaVersion },
}

/**
 * Checks the number of a ledger's layout.
 *
 * @throws {Error} another version has written it
 */
export function assertSchema(row: AnyRow): void {
  const { value } = tables.meta.row.parse(row)
  if (value !== schemaVersion) {
    throw new Error(`the ledger has schema ${value}, and this version knows ${schemaVersion}`)
  }
}
