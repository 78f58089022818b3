import { type Address, isAddress } from 'viem'
import * as z from 'zod/mini'
import type { PinVerdict } from '../account/pin.ts'
import type { TakenCode, Wallet } from '../account/wallets.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { Ledger, Question, Till } from '../relay/ledger/port.ts'
import { tillKinds } from '../relay/ledger/rows.ts'
import type { KnownRecipient } from './recipient.ts'

/** Describes a fact that later deliveries reuse; it holds neither typed text nor a phone number. */
export type ShownFact<Value> = { name: string; schema: z.ZodMiniType<Value> }

export const wei = z.pipe(
  z.string().check(z.regex(/^[0-9]{1,78}$/)),
  z.transform((digits) => BigInt(digits)),
)

const address = z.custom<Address>((value) => isAddress(`${value}`, { strict: false }))

export const shownRecipients: ShownFact<KnownRecipient[]> = {
  name: 'recipients',
  schema: z.array(
    z.object({
      kind: z.literal('known'),
      address,
      label: z.string(),
      amountWei: z.optional(wei),
    }),
  ),
}

const wallet = z.object({ name: z.string(), address })

export const shownWallets: ShownFact<Wallet[]> = { name: 'wallets', schema: z.array(wallet) }

/** Stores the result of a wallet code; its step is a digest of the code. */
export const shownCode: ShownFact<TakenCode> = {
  name: 'wallet code',
  schema: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('taken'), wallet }),
    z.object({ kind: z.enum(['unknown', 'full']) }),
  ]) as z.ZodMiniType<TakenCode>,
}

/** Stores whose till number it was when it was first typed; its step is a digest of it. */
export const shownTill: ShownFact<Till | null> = {
  name: 'till',
  schema: z.nullable(
    z.object({ till: z.string(), account: address, name: z.string(), kind: z.enum(tillKinds) }),
  ),
}

/** Names the step of lists that hold for a whole session. */
export const listsStep = 'recipients'

const shownRate: ShownFact<Rate | 'none'> = {
  name: 'rate',
  schema: z.union([z.literal('none'), z.object({ currency: z.string(), micros: wei })]),
}

export const shownTerms = {
  name: 'terms',
  schema: z.object({ principalWei: wei, feeWei: wei, termSeconds: z.int(), dueAt: z.int() }),
} as const satisfies ShownFact<unknown>

/** Stores where the session starts; `waiting` counts dialled answers that wait for a PIN. */
export const sessionStart: ShownFact<'main' | 'newPin' | { waiting: number }> = {
  name: 'start',
  schema: z.union([z.enum(['main', 'newPin']), z.object({ waiting: z.int() })]),
}

export const shownPinSet: ShownFact<boolean> = { name: 'pin set', schema: z.boolean() }

/** Stores the typed text up to a numbered delivery, sealed and without PINs. */
export const shownText: ShownFact<string> = { name: 'text', schema: z.string() }

/** Stores whether an unlisted number has an account; its step is a digest of the number. */
export const shownOpened: ShownFact<boolean> = { name: 'opened', schema: z.boolean() }

export const pinVerdict: ShownFact<PinVerdict> = {
  name: 'pin',
  schema: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('wrong'), left: z.int() }),
    z.object({ kind: z.enum(['right', 'blocked', 'unset', 'dormant']) }),
  ]) as z.ZodMiniType<PinVerdict>,
}

type Shows = Pick<Ledger, 'rememberFirst' | 'recall'>

/** Stores what a question showed first and returns it; undefined if the session is decided. */
export async function keepShown<T>(ledger: Shows, asked: Question, of: ShownFact<T>, wanted: T) {
  const { name, schema } = of
  const value = JSON.stringify(wanted, (_, each) => (typeof each === 'bigint' ? `${each}` : each))
  const kept = await ledger.rememberFirst({ ...asked, name, value })
  if (kept.kind === 'pending') throw new Error('the ledger is being restored')
  return kept.kind === 'shown' ? schema.parse(JSON.parse(kept.value)) : undefined
}

export async function shownAt<T>(ledger: Shows, asked: Question, { name, schema }: ShownFact<T>) {
  const kept = await ledger.recall(asked, name)
  return kept === undefined ? undefined : schema.parse(JSON.parse(kept))
}

/** Returns the session's exchange rate: the first one it used. */
export async function rateIn(of: {
  ledger: Shows
  question: (step: string) => Promise<Question>
  rate: () => Promise<Rate | undefined>
}): Promise<Rate | 'none'> {
  const question = await of.question('rate')
  return shownOr(of.ledger, question, shownRate, async () => (await of.rate()) ?? 'none')
}

/** Returns what a question showed before, or finds and stores it. */
export async function shownOr<Value>(
  ledger: Shows,
  question: Question,
  fact: ShownFact<Value>,
  find: () => Promise<Value>,
): Promise<Value> {
  const known = await shownAt(ledger, question, fact)
  if (known !== undefined) return known
  const found = await find()
  return (await keepShown(ledger, question, fact, found)) ?? found
}
