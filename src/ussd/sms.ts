import type { Address } from 'viem'
import * as z from 'zod/mini'
import { showAddress } from '../account/address.ts'
import { type PhoneNumber, shortPhone } from '../account/phone.ts'
import { type KindsWith, kindNames, type PaymentKind, paymentKinds } from '../loan/kinds.ts'
import type { DueSms, SmsName, SmsParty } from '../relay/ledger/port.ts'
import type { ContractCall } from '../relay/pay/delivery.ts'
import { shortNumber } from './contract-calls.ts'
import type { Intent } from './intent.ts'
import { activityLine } from './menu/activity.ts'
import { type Messages, shortAddress } from './messages/texts.ts'

const smsFacts = z.object({
  phone: z.custom<PhoneNumber>(
    (value) => typeof value === 'string' && /^\+[0-9]{7,15}$/.test(value),
  ),
  kind: z.enum([...kindNames, 'received']),
  amountWei: z.union([
    z.literal('all'),
    z.pipe(
      z.string().check(z.regex(/^[0-9]{1,78}$/)),
      z.transform((digits) => BigInt(digits)),
    ),
  ]),
  /** The other party, in short; empty for a loan and a repayment. */
  who: z.string(),
})

/** To which phone a message goes, and what its payment is: all of it but the outcome. */
export type SmsFacts = z.output<typeof smsFacts>

/** @throws {Error} the text was not written by {@link writeSmsFacts} */
export const parseSmsFacts = (text: string): SmsFacts => smsFacts.parse(JSON.parse(text))

export const writeSmsFacts = ({ amountWei, ...facts }: SmsFacts): string =>
  JSON.stringify({ ...facts, amountWei: `${amountWei}` })

/** Closes and opens numbers, so that nobody reads them where they are kept. */
export type SmsSeals = {
  /** What a message is about, for its session and party. */
  facts(facts: SmsFacts, about: Pick<SmsName, 'session' | 'party'>): Promise<string>
  /** The number of one whom an account has sent to. */
  number(phone: PhoneNumber, sender: Address): Promise<string>
  /** Undefined: it was sealed for another account, or under another secret. */
  open(sealed: string, sender: Address): Promise<PhoneNumber | undefined>
}

/** Whom a payment's outcome is told to: its caller, and who gets the money, where their number is known. */
export function smsOf(
  intent: Intent,
  { caller, receiver }: { caller: PhoneNumber; receiver: PhoneNumber | undefined },
  { spendsWei, shared }: Pick<ContractCall, 'spendsWei' | 'shared'>,
  chainId: number,
): { party: SmsParty; facts: SmsFacts }[] {
  const told = (facts: Omit<SmsFacts, 'phone'>) => ({
    ...{ party: 'sender' as const, facts: { phone: caller, ...facts } },
  })
  const { kind } = intent
  switch (intent.kind) {
    case 'transfer': {
      const { recipient } = intent
      if (recipient.kind === 'address') {
        const who = shortAddress(showAddress(recipient.address, chainId))
        return [told({ kind, amountWei: spendsWei, who })]
      }
      const sent = told({ kind, amountWei: spendsWei, who: shortNumber(recipient) })
      if (receiver === undefined) return [sent]
      const received = { kind: 'received' as const, amountWei: spendsWei, who: shortPhone(caller) }
      return [sent, { party: 'receiver', facts: { phone: receiver, ...received } }]
    }
    case 'loan':
      return [told({ kind, amountWei: shared?.poolWei ?? 0n, who: '' })]
    case 'repayment':
      return [told({ kind, amountWei: intent.amountWei, who: '' })]
    case 'cashOut': {
      const who = shortAddress(showAddress(intent.to, chainId))
      return [told({ kind, amountWei: spendsWei, who })]
    }
  }
}

/**
 * What a message says once its payment has come to its end: what was credited is in an account, and all else is
 * told as in the activity.
 */
export function smsText(
  { kind, amountWei, who }: SmsFacts,
  { state, reason }: Pick<DueSms, 'state' | 'reason'>,
  say: Messages,
  amountOf: (wei: bigint) => string,
): string {
  if (state !== 'confirmed') {
    const failed = { kind: 'failed', reason: state === 'reverted' ? reason : '' } as const
    const line = activityLine(say.activity, { kind, amountWei, who, state: failed }, amountOf)
    return `${line}\n${say.nothingMoved}`
  }
  return (kind === 'received' || isCredit(kind)) && amountWei !== 'all'
    ? say.credited[kind](amountOf(amountWei), who)
    : activityLine(say.activity, { kind, amountWei, who, state: { kind: 'done' } }, amountOf)
}

const isCredit = (kind: PaymentKind): kind is KindsWith<'isCredit', true> =>
  paymentKinds[kind].isCredit
