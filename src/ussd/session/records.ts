import { type Hex, isHex } from 'viem'
import * as z from 'zod/mini'
import { accountAddress } from '../../account/memory.ts'
import { weiSchema } from '../../loan/amounts.ts'
import type { Rate } from '../../loan/local-worth.ts'
import { tillKinds } from '../../operator/kept/tables.ts'
import type { Ledger } from '../../relay/ledger/steps.ts'
import { askedName, type StepKey } from '../../relay/ledger/values.ts'
import { toJson } from '../../runtime/json.ts'
import { draftRecall, knownRecipient } from '../recipient.ts'
import type { Visit } from '../visit.ts'

/**
 * Describes a value that a session records once, so that a redelivery gets the same value. No
 * record holds typed text or a phone number in clear.
 */
export type SessionRecord<Value> = { name: string; schema: z.ZodMiniType<Value> }

const record = <Schema extends z.ZodMiniType>(name: string, schema: Schema) => ({ name, schema })

export const recipientsRecord = record('recipients', z.array(knownRecipient))

const wallet = z.object({ name: z.string(), address: accountAddress, hours: z.optional(z.int()) })

export const walletsRecord = record('wallets', z.array(wallet))

/** Records what a wallet code would give, under a digest of the code. */
export const walletCodeRecord = record(
  'code wallet',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('found'), wallet, replaces: z.boolean() }),
    z.object({ kind: z.enum(['unknown', 'full']) }),
  ]),
)

const till = {
  till: z.string(),
  account: accountAddress,
  name: z.string(),
  kind: z.enum(tillKinds),
}

/** Records the till that a typed number had at first, under a digest of the number. */
export const tillRecord = record('till', z.nullable(z.object(till)))

const intentId = z.custom<Hex>((value) => isHex(value))

/** Records what a typed code named at first, under a digest of the code. */
export const withdrawalRecord = record(
  'withdrawal',
  z.nullable(z.object({ intentId, isPayable: z.boolean() })),
)

/** Records whether an amount can be paid, and what a screen says if not. */
export const amountRecord = record(
  'amount',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['possible', 'all']) }),
    z.object({ kind: z.literal('mistake'), text: z.string() }),
  ]),
)

/** Records which payments the session may call a mistake. */
export const recallablesRecord = record('recallables', z.array(draftRecall))

/** Records when a question was asked whose answer pays. */
export const askedRecord = record(askedName, z.literal(true))

/** Names the step that records the lists from which digits select. */
export const listsStep = 'recipients'

// Sessions of before 1.1 have no time.
const rate = z.object({ currency: z.string(), micros: weiSchema, readAt: z.optional(z.int()) })

const rateRecord = record('rate', z.union([z.literal('none'), rate]))

export const termsRecord = record(
  'terms',
  z.object({ principalWei: weiSchema, feeWei: weiSchema, termSeconds: z.int(), dueAt: z.int() }),
)

const newCallerStart = z.enum(['firstLanguage', 'newPin'])

/**
 * Records where a session starts; of a new caller `waiting` counts the answers of the first dial
 * that wait, and `beganAt` (Unix time in ms) is when it was, unless 1.0 recorded it; `goOn`
 * is what a cut session asked to confirm, encrypted, and `offeredAt` when (Unix time in ms) this
 * session offered to go on with it; `recalled` is what is held back for its sender.
 */
export const sessionStartRecord = record(
  'start',
  z.union([
    z.enum(['main', 'dormant', 'held']),
    newCallerStart,
    z.object({ goOn: z.string(), offeredAt: z.int() }),
    z.object({ recalled: draftRecall }),
    z.object({
      waiting: z.int(),
      start: z._default(newCallerStart, 'newPin'),
      beganAt: z.optional(z.int()),
    }),
  ]),
)

export type RecordedStart = z.output<typeof sessionStartRecord.schema>

export const pinSetRecord = record('pin set', z.boolean())

/** Records the encrypted answers up to a numbered delivery, without PINs. */
export const textRecord = record('text', z.string())

/** Records whether an unlisted number has an account, under a digest of the number. */
export const hasAccountRecord = record('opened', z.boolean())

export const pinVerdictRecord = record(
  'pin',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('wrong'), left: z.int() }),
    z.object({ kind: z.enum(['right', 'blocked', 'unset', 'dormant']) }),
  ]),
)

type RecordLedger = Pick<Ledger, 'saveFirstValue' | 'readFirstValue'>

/**
 * Returns the value that a step recorded first, which is `newValue` if the step had none. Returns
 * undefined if the session has ended, because nothing is recorded then.
 */
export async function recordIfAbsent<Value>(
  ledger: RecordLedger,
  stepKey: StepKey,
  { name, schema }: SessionRecord<Value>,
  newValue: Value,
): Promise<Value | undefined> {
  const recorded = await ledger.saveFirstValue({ ...stepKey, name, value: toJson(newValue) })
  return recorded.kind === 'shown' ? schema.parse(JSON.parse(recorded.value)) : undefined
}

/** Returns the value that a step has recorded; undefined if it has none. */
export async function readRecord<Value>(
  ledger: RecordLedger,
  stepKey: StepKey,
  { name, schema }: SessionRecord<Value>,
): Promise<Value | undefined> {
  const recorded = await ledger.readFirstValue(stepKey, name)
  return recorded === undefined ? undefined : schema.parse(JSON.parse(recorded))
}

/** Returns the value that a step has recorded, else records the one that `find` returns. */
export async function readOrRecord<Value>(
  ledger: RecordLedger,
  stepKey: StepKey,
  record: SessionRecord<Value>,
  find: () => Promise<Value>,
): Promise<Value> {
  const recorded = await readRecord(ledger, stepKey, record)
  if (recorded !== undefined) return recorded
  const newValue = await find()
  return (await recordIfAbsent(ledger, stepKey, record, newValue)) ?? newValue
}

/** Returns the exchange rate that a session used first, so that its amounts agree. */
export async function readSessionRate({
  services: { ledger, readRate, now, settings },
  createStepKey,
}: Visit): Promise<Rate | 'none'> {
  if (settings.localCurrency === undefined) return 'none'
  return await readOrRecord(ledger, createStepKey('rate'), rateRecord, async () => {
    const rate = await readRate()
    return rate === undefined ? 'none' : { ...rate, readAt: now() }
  })
}
