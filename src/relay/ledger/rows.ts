import { isAddress, isHex } from 'viem'
import { z } from 'zod'
import type { PaymentState } from './transitions.ts'

const hex = z.custom<`0x${string}`>((value) => isHex(value), 'is no hex')
const address = z.custom<`0x${string}`>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
  'is no address',
)
const integer = z.int()
/** An amount, which outgrows the numbers of SQLite, Lua and JSON. */
const wei = z.string().regex(/^[0-9]{1,78}$/)
const state = z.enum([
  'queued',
  'signed',
  'broadcast',
  'mined',
  'confirmed',
  'reverted',
  'expired',
] as const satisfies readonly PaymentState[])

const execution = {
  outcome: z.enum(['executed', 'failed']).nullable(),
  reason: z.string().nullable(),
  hash: hex.nullable(),
  block_number: integer.nullable(),
  block_hash: hex.nullable(),
}

/** What a payment is to operators and to its caller, as long as anything is known of it. */
const payment = {
  session: z.string(),
  state,
  intent_id: hex,
  account: z.string(),
  /** Whose account gains, as a keyed digest. Null: not told by whoever pays. */
  counterparty: z.string().nullable(),
  label: z.string(),
  /** What it takes from the account; null, of the pool, the daily cap and the gas: nothing is reserved. */
  spends: wei,
  reserves_pool: wei.nullable(),
  reserves_cap: wei.nullable(),
  reserves_gas: wei.nullable(),
  attempts: integer,
  ...execution,
  accepted_at: integer,
  /** Each state that it came to, and when (Unix time in ms). */
  history: z.array(z.tuple([state, integer])),
}

/** Whoever holds a nonce before anything is recorded for it. Without a token it is anybody's. */
const lease = z.object({
  nonce: integer,
  token: z.string().nullable(),
  until: integer,
  session: z.string().nullable(),
})

/** Each table: what a row holds, the columns that name it, and the lists that it is found in. */
export const tables = {
  meta: table(['name'], { name: z.string(), value: z.string() }, {}),
  sessions: table(
    ['session'],
    {
      session: z.string(),
      state: z.enum(['claimed', 'refused', 'accepted']),
      account: z.string(),
      input: z.string(),
      steps: integer,
      screen: z.object({ kind: z.enum(['ask', 'end']), lines: z.array(z.string()) }).nullable(),
      token: z.string().nullable(),
      lease_until: integer.nullable(),
      decided_at: integer,
    },
    { age: { group: undefined, score: 'decided_at' } },
  ),
  payments: table(
    ['session'],
    {
      ...payment,
      request: z.object({
        from: address,
        to: address,
        intentId: hex,
        gas: integer,
        deadline: integer,
        data: hex,
        signature: hex,
      }),
      phase: z.enum(['waiting', 'stuck', 'carried', 'mined', 'settled']),
      /** Orders its phase: the time of acceptance; of settlement once settled. */
      since: integer,
      relayer: z.string().nullable(),
      nonce: integer.nullable(),
    },
    {
      phase: { group: 'phase', score: 'since' },
      account: { group: 'account', score: 'accepted_at' },
    },
  ),
  intents: table(['intent_id'], { intent_id: hex, session: z.string() }, {}),
  accounts: table(
    ['account'],
    {
      account: z.string(),
      /** Payments that are not settled, the oldest first: session, nonce, time of acceptance. */
      open: z.array(z.tuple([z.string(), integer.nullable(), integer])),
      /** Sessions between claim and record, and until when. */
      claims: z.array(z.tuple([z.string(), integer])),
      /** Payments that the ledger has. */
      seen: integer,
    },
    {},
  ),
  relayers: table(
    ['relayer'],
    {
      relayer: z.string(),
      leases: z.array(lease),
      /** Nonces with recorded bytes that no block holds, the lowest first. */
      open: z.array(integer),
      /** The highest nonce that was used, by whatever. */
      top: integer.nullable(),
    },
    {},
  ),
  nonces: table(
    ['relayer', 'nonce'],
    {
      relayer: z.string(),
      nonce: integer,
      state: z.enum(['recorded', 'mined', 'foreign', 'abandoned']),
      session: z.string().nullable(),
      /** Everything ever signed for it, with its gas price. */
      bytes: z.array(z.tuple([hex, wei])),
      hash: hex.nullable(),
      block_number: integer.nullable(),
      block_hash: hex.nullable(),
      /** Null while it is recorded: such a row has no age. */
      phase: z.literal('done').nullable(),
      changed_at: integer,
    },
    {
      phase: { group: 'phase', score: 'changed_at' },
      number: { group: 'relayer', score: 'nonce' },
    },
  ),
  transactions: table(
    ['hash'],
    {
      hash: hex,
      relayer: z.string(),
      nonce: integer,
      /** The payment that it carries. */
      session: z.string().nullable(),
      raw: hex,
      gas_price: wei,
      recorded_at: integer,
      sent_at: integer.nullable(),
    },
    {},
  ),
  blocks: table(
    ['hash'],
    {
      hash: hex,
      number: integer,
      /** What a reorganization takes back with it: nonces by relayer, payments by session. */
      nonces: z.array(z.tuple([z.string(), integer])),
      sessions: z.array(z.string()),
      changed_at: integer,
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
export type ListName<Name extends TableName> = keyof (typeof tables)[Name]['lists'] & string

/** Rows of one list: of a group, by their score, the lowest first unless `newest`. */
export type Listing<Name extends TableName> = {
  table: Name
  list: ListName<Name>
  group?: string
  /** Scores, both included. */
  from?: number
  to?: number
  limit: number
  newest?: boolean
}

/** What a store shows to a step. Rows are never changed in place. */
export type View = {
  row<Name extends TableName>(table: Name, ...key: (string | number)[]): Row<Name> | undefined
  list<Name extends TableName>(listing: Listing<Name>): Row<Name>[]
}

/** One row of a step's outcome: as it was read, and as it is from now on. */
export type Write = {
  table: TableName
  key: readonly (string | number)[]
  before: AnyRow | undefined
  after: AnyRow | undefined
}

/** A row as a store keeps it: it knows columns, and nothing of what they mean. */
export type AnyRow = Readonly<Record<string, unknown>>

/** A row of any table as stores see it. */
export type AnyTable = {
  key: readonly string[]
  row: z.ZodObject
  lists: Readonly<Record<string, { group: string | undefined; score: string }>>
}

export const anyTable = (name: TableName): AnyTable => tables[name]

/** The group and score under which a row is listed; undefined where it is not. */
export function placeOf(
  { group, score }: AnyTable['lists'][string],
  row: AnyRow | undefined,
): { group: string; score: number } | undefined {
  if (row === undefined || row[score] === null) return undefined
  if (group === undefined) return { group: '', score: Number(row[score]) }
  return row[group] === null ? undefined : { group: `${row[group]}`, score: Number(row[score]) }
}

function table<Shape extends z.ZodRawShape, Lists extends AnyTable['lists']>(
  key: readonly (keyof Shape & string)[],
  shape: Shape,
  lists: Lists,
) {
  return { key, row: z.object(shape), lists }
}
