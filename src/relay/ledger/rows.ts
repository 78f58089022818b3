import * as z from 'zod/mini'
import { kindNames } from '../../loan/kinds.ts'
import { localWorth } from '../../loan/local-worth.ts'
import { paymentStates, phaseNames } from './transitions.ts'
import { smsParties } from './values.ts'

export const schemaVersion = '6'

/** Lists the reminders of a loan: some days before it is due, and on the day. */
export const reminderKinds = ['soon', 'today'] as const

export const mapNames = <Value, Name extends string>(value: Value, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>

const text = z.string()
const integer = z.int()
const [textOrNull, integerOrNull] = [z.nullable(text), z.nullable(integer)]
const matching = (pattern: RegExp) =>
  text.check(z.regex(pattern)) as unknown as z.ZodMiniType<`0x${string}`, `0x${string}`>
const hex = matching(/^0x[0-9a-fA-F]*$/)
const hexOrNull = z.nullable(hex)
const address = matching(/^0x[0-9a-fA-F]{40}$/)
/** Holds an amount as text, because it may exceed the numbers of SQLite, Lua and JSON. */
const wei = text.check(z.regex(/^[0-9]{1,78}$/))

/** Parses the columns of tables that stand elsewhere. */
export const columnTypes = { text, integer, textOrNull, integerOrNull, address, wei }

const state = z.enum(paymentStates)
const screen = z.object({ kind: z.enum(['ask', 'end']), lines: z.readonly(z.array(text)) })

/** Names the transaction and the block that hold a payment or a nonce; null if none does. */
const blockColumns = { hash: hexOrNull, block_hash: hexOrNull, block_number: integerOrNull }

/** Holds the columns that a payment has in `payments`, and later in `history`. */
const payment = {
  ...mapNames(text, 'session', 'account'),
  intent_id: hex,
  kind: z.enum(kindNames),
  state,
  /** Holds the amount taken from the account. */
  spends: wei,
  /** Holds what its own request is in local money; rows of before 1.1, or without a rate, none. */
  agreed: z.optional(localWorth),
  /** Hold what it reserves of pool, daily cap and withdrawal limit; null if nothing. */
  ...mapNames(z.nullable(wei), 'reserves_pool', 'reserves_cap', 'reserves_out'),
  outcome: z.nullable(z.enum(['executed', 'failed'])),
  reason: textOrNull,
  ...blockColumns,
  ...mapNames(integer, 'attempts', 'accepted_at'),
  /** Lists each state with the time at which it began (Unix time in ms). */
  history: z.array(z.tuple([state, integer])),
  /** Tells since when it is assured, before its block is final (Unix time in ms). */
  assured_at: z.optional(integer),
}

const request = z.object({
  from: address,
  intentId: hex,
  ...mapNames(integer, 'gas', 'deadline'),
  ...mapNames(hex, 'data', 'signature'),
})

/** Defines each table: the columns of its key, its row, and the lists by which rows are found. */
export const tables = {
  meta: table(['name'], mapNames(text, 'name', 'value')),
  /** Stores how sessions ended without a payment; of 1.0.0 also those with one. */
  sessions: table(
    ['session'],
    {
      ...mapNames(text, 'session', 'account', 'input'),
      state: z.enum(['refused', 'unsure', 'ended', 'accepted']),
      screen,
      ...mapNames(integer, 'steps', 'decided_at'),
    },
    { age: { group: undefined, score: 'decided_at' } },
  ),
  /** Stores by name what a session's steps showed: redeliveries show the same. */
  shown: table(
    ['session', 'step', 'name'],
    { ...mapNames(text, 'session', 'step', 'name', 'value'), shown_at: integer },
    { age: { group: undefined, score: 'shown_at' } },
  ),
  payments: large(
    ['session'],
    {
      ...payment,
      request,
      /** Holds what its session showed when it began; of 1.0.0 that is in `sessions`. */
      decided: z.optional(z.object({ input: text, steps: integer, screen })),
      /** Holds the same request for a day; of an assured payment, the one that it replaced. */
      lasting: z.optional(request),
      /** Holds the amount that the operator backs until a block does: it was final at once. */
      backed: z.optional(wei),
      /** Holds what the chain executed, if that is another call of the session, signed earlier. */
      executed: z.optional(z.nullable(request)),
      phase: z.enum(phaseNames),
      /** Orders the phase: time of acceptance, or of settlement once settled. */
      since: integer,
      relayer: textOrNull,
      nonce: integerOrNull,
    },
    {
      phase: { group: 'phase', score: 'since' },
      account: { group: 'account', score: 'accepted_at' },
    },
  ),
  /** Maps receipt numbers to payments, the newest first. Few share a number. */
  receipts: table(['receipt'], { receipt: text, sessions: z.array(text) }),
  /** Maps intents to payments that 1.0.0 accepted. */
  intents: table(['intent_id'], { intent_id: hex, session: text }),
  accounts: table(['account'], {
    account: text,
    /** Lists the sessions of payments without a known outcome, and of some settled since. */
    open: z.array(text),
    /** Counts the account's payments that the ledger has. */
    seen: integer,
    /** Tells when its owner's data was erased: earlier payments are archived without a name. */
    erased_at: z.optional(integer),
    /** Holds the settled balance by which payments are assured, and the sessions of these. */
    settled: z.optional(z.object({ block: integer, wei, sessions: z.array(text) })),
  }),
  relayers: table(['relayer'], {
    relayer: text,
    /** Lists nonces whose transactions are in no block, and how many payments each has. */
    open: z.array(z.tuple([integer, integer])),
    /** Holds the highest nonce that a block or a foreign transaction used. */
    top: integerOrNull,
  }),
  nonces: large(
    ['relayer', 'nonce'],
    {
      relayer: text,
      state: z.enum(['recorded', 'mined', 'foreign', 'abandoned']),
      /** Lists the payments that it carries, in the order of their requests. */
      sessions: z.array(text),
      /** Lists the hash and gas price of each transaction that was ever signed for it. */
      bytes: z.array(z.tuple([hex, wei])),
      ...blockColumns,
      /** Is null while it is recorded: such a row has no age. */
      phase: z.nullable(z.literal('done')),
      ...mapNames(integer, 'nonce', 'changed_at'),
    },
    {
      phase: { group: 'phase', score: 'changed_at' },
      number: { group: 'relayer', score: 'nonce' },
    },
  ),
  transactions: large(['hash'], {
    ...mapNames(hex, 'hash', 'raw'),
    relayer: text,
    sessions: z.array(text),
    gas_price: wei,
    ...mapNames(integer, 'nonce', 'recorded_at'),
    sent_at: integerOrNull,
    /** Counts in a row the times that no node took it. */
    failures: integer,
  }),
  blocks: large(
    ['hash'],
    {
      hash: hex,
      number: integer,
      /** Lists what a reorganization reopens: nonces by relayer, payments by session. */
      nonces: z.array(z.tuple([text, integer])),
      sessions: z.array(text),
    },
    { number: { group: undefined, score: 'number' } },
  ),
  history: table(
    ['intent_id', 'accepted_at'],
    {
      ...payment,
      settled_at: integer,
      /** Tells what it was for, if what is attached to its order says so. */
      reference: z.optional(text),
    },
    { age: { group: undefined, score: 'settled_at' } },
  ),
  sms: table(
    ['session', 'party'],
    {
      session: text,
      party: z.enum(smsParties),
      /** Holds recipient and content, sealed: the ledger cannot read them. */
      sealed: text,
      /** Is set if the message tells of a saved wallet, and waits for no payment. */
      tells: z.optional(z.literal('wallet')),
      /** Is set if the message tells its receiver that a payment is held back. */
      recalled: z.optional(z.object({ wei, until: integer })),
      /** Is held until the outcome is final, then due, then taken by a sender. */
      state: z.enum(['held', 'due', 'taken']),
      /** Tells since when it is in its state; for a due message, when it may be sent. */
      at: integer,
      attempts: integer,
    },
    { state: { group: 'state', score: 'at' } },
  ),
  /** Maps accounts of numbers' present forms to those of former forms. */
  aliases: table(
    ['account'],
    { ...mapNames(text, 'account', 'former'), kept_at: integer },
    { age: { group: undefined, score: 'kept_at' } },
  ),
  /** Stores an account's last refused sessions, the newest first. */
  refusals: table(
    ['account'],
    {
      account: text,
      last: z.array(z.object({ ...mapNames(text, 'session', 'reason'), at: integer })),
      at: integer,
    },
    { age: { group: undefined, score: 'at' } },
  ),
  /** Lists the accounts that an operator holds: none of their payments is accepted. */
  holds: table(
    ['account'],
    { account: text, held_at: integer, reason: z.optional(text) },
    { age: { group: undefined, score: 'held_at' } },
  ),
  /** Stores what is held back in an account of payments that their senders call mistakes. */
  recalls: table(
    ['account'],
    {
      account: text,
      held: z.array(
        z.object({
          intent_id: hex,
          sender: address,
          wei,
          until: integer,
          number: z.optional(text),
        }),
      ),
      /** Tells when the account itself last asked for that of a payment of its own. */
      asked_at: integerOrNull,
      at: integer,
    },
    { age: { group: undefined, score: 'at' } },
  ),
  /**
   * Maps what a caller can read out to payments, beside `receipts`: the account that one pays, its
   * code, and the start of a transaction's hash.
   */
  clues: table(
    ['clue', 'at', 'name'],
    {
      clue: text,
      at: integer,
      /** Names the payment's session, or holds the transaction's whole hash. */
      name: text,
    },
    { clue: { group: 'clue', score: 'at' } },
  ),
  /** Stores borrowers' sealed numbers, and which reminder of their loan was taken last. */
  reminders: table(
    ['account'],
    {
      account: address,
      sealed: text,
      told: z.enum(['none', ...reminderKinds]),
      /** Tells when the loan is due (Unix time in s). */
      due_at: integer,
      /** Tells when the loan was found repaid, and when it is checked next (Unix times in ms). */
      repaid_at: integerOrNull,
      at: integer,
    },
    { due: { group: undefined, score: 'at' } },
  ),
}

export type TableName = keyof typeof tables
export type Row<Name extends TableName> = RowIn<typeof tables, Name>
export type RowIn<All extends Tables, Name extends keyof All> = z.infer<All[Name]['row']>
export type Key = readonly (string | number)[]

export const noLimit = Number.MAX_SAFE_INTEGER

/** Selects rows of a list, or of one group, by score: the lowest first unless `newest`. */
export type AnyListing = {
  table: string
  list: string
  group?: string
  /** Selects scores from here on. */
  from?: number
  /** Selects scores below this. */
  before?: number
  /** Selects scores that are times longer ago than this. */
  olderThanMs?: number
  limit: number
  newest?: boolean
}

export type Listing<
  Name extends keyof All & string,
  All extends Tables = typeof tables,
> = AnyListing & { table: Name; list: keyof All[Name]['lists'] & string }

/** Gives a step the store's rows at a time (Unix time in ms). Rows are never mutated. */
export type View = {
  row(table: string, ...key: Key): AnyRow | undefined
  /** Adds to `missing` the names of rows that the list names, and that are not there. */
  list(listing: AnyListing, now: number, missing: Set<string>): AnyRow[]
}

/** Holds a row as a step read it, and its new value. */
export type Write = {
  table: string
  key: Key
  before: AnyRow | undefined
  after: AnyRow | undefined
}

export type AnyRow = Readonly<Record<string, unknown>>

/** Names the columns that group and order a list's rows; without a group it has all of them. */
type ListColumns = { group: string | undefined; score: string }

type Table = {
  key: readonly string[]
  row: z.ZodMiniObject
  lists: Readonly<Record<string, ListColumns>>
  /** Tells that its rows have about 1 kB or more. */
  isLarge: boolean
}

export type Tables = Readonly<Record<string, Table>>

/** @throws {Error} the store has no such table */
export function getTable(tables: Tables, name: string): Table {
  const table = tables[name]
  if (table === undefined) throw new Error(`there is no table ${name}`)
  return table
}

export const toRowName = (table: string, key: Key): string =>
  key.length === 1 ? `${table}:${key[0]}` : [table, ...key].join(':')

export const toKey = (table: Table, row: AnyRow): Key =>
  table.key.map((column) => row[column] as string | number)

/** Parses a row from its JSON. @throws {z.core.$ZodError} it is not a row of this table */
export const parseRow = (table: Table, json: string): AnyRow => table.row.parse(JSON.parse(json))

/** Returns a row's group and score in a list, or undefined if the list does not have it. */
export function getListPosition({ group, score }: ListColumns, row: AnyRow | undefined) {
  const value = group === undefined ? '' : row?.[group]
  if (row === undefined || value === null) return undefined
  return { group: `${value}`, score: Number(row[score]) }
}

type NoLists = Record<never, never>

export function table<Shape extends z.core.$ZodShape, Lists extends Table['lists'] = NoLists>(
  key: readonly (keyof Shape & string)[],
  shape: Shape,
  lists: Lists = {} as Lists,
) {
  return { key, row: z.object(shape), lists, isLarge: false }
}

/** Defines a table whose rows have about 1 kB or more. */
function large<Shape extends z.core.$ZodShape, Lists extends Table['lists'] = NoLists>(
  ...columns: Parameters<typeof table<Shape, Lists>>
) {
  return { ...table(...columns), isLarge: true }
}

export const schemaWrite: Write = {
  table: 'meta',
  key: ['schema'],
  before: undefined,
  after: { name: 'schema', value: schemaVersion },
}

/** Reports that another version has written the ledger, with a schema that this one lacks. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** Checks a ledger's schema version. @throws {SchemaError} another version has written it */
export function assertSchema(row: AnyRow): void {
  const { value } = tables.meta.row.parse(row)
  if (value !== schemaVersion) {
    const known = `this version knows ${schemaVersion}`
    const advice = `deploy one that knows ${value}`
    throw new SchemaError(`the ledger has schema ${value}, and ${known}: ${advice}`)
  }
}
