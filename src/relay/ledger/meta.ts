import { type Hex, isHex } from 'viem'
import * as z from 'zod/mini'
import { toJson } from '../../runtime/json.ts'
import { obstacles } from '../refusal.ts'
import type { Draft } from './draft.ts'
import { storedObservations } from './observations.ts'

const time = z.int()
const counts = z.record(z.string(), z.int())
const hash = z.custom<Hex>((value) => isHex(value))
const byRelayer = { relayer: z.optional(z.string()) }

export const weiDigits = z.pipe(
  z.string().check(z.regex(/^-?[0-9]{1,78}$/)),
  z.transform((value) => BigInt(value)),
)
const amounts = { poolWei: weiDigits, capWei: weiDigits, outWei: weiDigits }

const followed = {
  number: z.int(),
  hash,
  timestampSeconds: z.optional(z.int()),
  /** Gives the used share of its gas, from 0 to 1. */
  fullness: z.optional(z.number()),
  /** Counts the hashes that mined it; undefined if that is not proved or not needed. */
  difficulty: z.optional(hash),
  /** Counts the fewest hashes for which a block on top of it is believed. */
  floor: z.optional(hash),
}
const followedBlock = z.object({ ...followed, count: z.int() })

/** Is a block of the chain that we follow; `count` is our next nonce after it. */
export type FollowedBlock = z.output<typeof followedBlock>

const intake = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({
    kind: z.enum(['paused', 'draining']),
    since: time,
    nextAccountKey: z.optional(z.string()),
  }),
])

const rate = z.object({
  currency: z.string(),
  micros: z.string(),
  at: time,
  refused: z.optional(z.object({ micros: z.string(), at: time })),
})

const observations = z.extend(storedObservations, byRelayer)

/** Parses the values of the table `meta`, by name. STORAGE.md says what each is. */
export const metaValues = {
  intake,
  rate,
  missing: z.array(z.string()),
  /** A restore of version 1.0.0 has saved only the number and the hash. */
  head: z.object({
    ...byRelayer,
    ...followed,
    count: z.optional(z.int()),
    below: z.optional(z.array(followedBlock)),
  }),
  observations: z.catch(observations, {}),
  /** Is what version 1.0 stored in place of it; what has another name there is read anew. */
  sight: z.catch(observations, {}),
  compared: z.object({
    relayer: z.string(),
    nextNonce: z.int(),
    lostAt: z.optional(time),
    begunAt: z.optional(time),
  }),
  /** Sums up the payments that the operator backs, and those of them that did not happen. */
  backed: weiDigits,
  /** Sums up what was assured and did not happen, and names the last such payment. */
  unkept: z.object({ count: z.int(), sumWei: weiDigits, intentId: hash, at: time }),
  obstacle: z.object({
    kind: z.enum(obstacles),
    at: time,
    toldAt: time,
    endedAt: z.optional(time),
  }),
  behind_since: time,
  set_back: time,
  probe: time,
  unlisted: time,
  gateways: z.record(z.string(), counts),
  gateway_faults: z.record(z.string(), time),
  counts,
  counted: z.array(z.tuple([time, counts])),
  queue: z.object({ waiting: z.int(), until: z.int() }),
  reserved: z.object({
    open: z.object(amounts),
    blocks: z.array(z.object({ ...amounts, number: z.int() })),
  }),
}

type MetaName = keyof typeof metaValues
export type MetaValue<Name extends MetaName> = z.infer<(typeof metaValues)[Name]>

/** Holds what was parsed of a row, which is never mutated: hot values are read in every step. */
const parsedRows = new WeakMap<object, unknown>()

/**
 * Reads a value of the table `meta`; undefined if it is not stored.
 * @throws {z.core.$ZodError} it is not of the form that this version stores
 */
export const readMeta = <Name extends MetaName>(
  rows: Draft,
  name: Name,
): MetaValue<Name> | undefined =>
  readMetaAs(rows, name, metaValues[name] as unknown as z.ZodMiniType<MetaValue<Name>>)

/** Reads a value whose name has a part that is not known here. */
export function readMetaAs<Value>(rows: Draft, name: string, form: z.ZodMiniType<Value>) {
  const row = rows.row('meta', name)
  if (row === undefined) return undefined
  const parsed = parsedRows.get(row) ?? form.parse(JSON.parse(row.value))
  parsedRows.set(row, parsed)
  return parsed as Value
}

/** Saves a value; bigints as their decimal digits. */
export const saveMeta = <Name extends MetaName>(
  rows: Draft,
  name: Name,
  value: MetaValue<Name>,
): void => saveMetaAs(rows, name, value)

/** Saves a value whose name or form is not known here. */
export const saveMetaAs = (rows: Draft, name: string, value: unknown): void =>
  rows.put('meta', { name, value: toJson(value) })
