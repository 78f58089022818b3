import { type Address, isAddress } from 'viem'
import * as z from 'zod/mini'
import type { PinVerdict } from '../account/pin.ts'
import type { Ledger, Question } from '../relay/ledger/port.ts'
import type { KnownRecipient } from './recipient.ts'

/** What a screen shows, or was judged by, that a later delivery has to go by. It holds nothing that was typed, and no number. */
export type ShownFact<Value> = { name: string; schema: z.ZodMiniType<Value> }

/** An amount as it is kept in a text. */
export const wei = z.pipe(
  z.string().check(z.regex(/^[0-9]{1,78}$/)),
  z.transform((digits) => BigInt(digits)),
)

/** Whom digits of a session stand for, where it asks whom to send to. The session has one list, by {@link recipientsStep}. */
export const shownRecipients: ShownFact<KnownRecipient[]> = {
  name: 'recipients',
  schema: z.array(
    z.object({
      kind: z.literal('known'),
      address: z.custom<Address>((value) => isAddress(`${value}`, { strict: false })),
      label: z.string(),
    }),
  ),
}

/** The step of a session that what holds for all of it is kept under. */
export const recipientsStep = 'recipients'

/** A loan as its terms were shown. */
export const shownTerms = {
  name: 'terms',
  schema: z.object({ principalWei: wei, feeWei: wei, termSeconds: z.int(), dueAt: z.int() }),
} as const satisfies ShownFact<unknown>

/** Where a session begins: who has no PIN chooses one first. */
export const sessionStart: ShownFact<'main' | 'newPin'> = {
  name: 'start',
  schema: z.enum(['main', 'newPin']),
}

/** Whether a number that no plan knows has an account. Its step is a digest of the number. */
export const shownOpened: ShownFact<boolean> = { name: 'opened', schema: z.boolean() }

/** What a PIN was judged that was typed at a step. Nothing of the PIN is in it. */
export const pinVerdict: ShownFact<PinVerdict> = {
  name: 'pin',
  schema: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('wrong'), left: z.int() }),
    z.object({ kind: z.enum(['right', 'blocked', 'unset', 'dormant']) }),
  ]) as z.ZodMiniType<PinVerdict>,
}

/**
 * Has a question go by a value from now on; what it goes by already is what is returned. Undefined where the
 * session is decided: it is answered as it was.
 *
 * @throws {Error} the ledger gave no answer, or is being restored
 */
export async function keepShown<Value>(
  ledger: Pick<Ledger, 'show'>,
  question: Question,
  { name, schema }: ShownFact<Value>,
  wanted: Value,
): Promise<Value | undefined> {
  const value = JSON.stringify(wanted, (_, each) => (typeof each === 'bigint' ? `${each}` : each))
  const kept = await ledger.show({ ...question, name, value })
  if (kept.kind === 'pending') throw new Error('the ledger is being restored')
  return kept.kind === 'shown' ? schema.parse(JSON.parse(kept.value)) : undefined
}

/**
 * What a question has shown. Undefined: nothing that was kept.
 *
 * @throws {Error} the ledger gave no answer
 */
export async function shownAt<Value>(
  ledger: Pick<Ledger, 'shown'>,
  question: Question,
  { name, schema }: ShownFact<Value>,
): Promise<Value | undefined> {
  const kept = await ledger.shown(question, name)
  return kept === undefined ? undefined : schema.parse(JSON.parse(kept))
}
