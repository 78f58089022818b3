import * as z from 'zod/mini'
import type { Secret } from '../account/keyed-hash.ts'
import { type PhoneNumber, parseCaller, shortPhone } from '../account/phone.ts'
import { createSeal } from '../account/seal.ts'
import { kindNames, type PaymentKind } from '../loan/kinds.ts'
import type { DueSms, SmsName, SmsParty } from '../relay/ledger/port.ts'
import type { ActivityState } from './facts.ts'
import { activityLine, creditedWords } from './menu/activity.ts'
import type { Ordered } from './menu/node.ts'
import type { Messages } from './messages/en.ts'
import { wei } from './shown.ts'

const smsFacts = z.object({
  phone: z.custom<PhoneNumber>(
    (value) => typeof value === 'string' && /^\+[0-9]{7,15}$/.test(value),
  ),
  kind: z.enum([...kindNames, 'received']),
  amountWei: z.union([z.literal('all'), wei]),
  /** Names the other party in short; empty if there is none. */
  who: z.string(),
})

export type SmsFacts = z.output<typeof smsFacts>

export type SmsSeals = ReturnType<typeof createSmsSeals>

/** Seals messages and numbers under the account secret. */
export function createSmsSeals(secret: Secret) {
  const [messages, numbers] = [createSeal(secret, 'sms'), createSeal(secret, 'recipient')]
  const about = ({ session, party }: Pick<SmsName, 'session' | 'party'>) => `${session}:${party}`

  return {
    facts: ({ amountWei, ...facts }: SmsFacts, name: Pick<SmsName, 'session' | 'party'>) =>
      messages.close(JSON.stringify({ ...facts, amountWei: `${amountWei}` }), about(name)),
    /** @throws {Error} it was sealed under another secret */
    async factsIn(sms: DueSms): Promise<SmsFacts> {
      const opened = await messages.open(sms.sealed, about(sms))
      if (opened === undefined) throw new Error('a message was sealed under another account secret')
      return smsFacts.parse(JSON.parse(opened))
    },
    number: (phone: PhoneNumber, about: string) => numbers.close(phone, about),
    /** Decrypts a number; undefined if it belongs to another account or secret. */
    async open(sealed: string, about: string) {
      const phone = await numbers.open(sealed, about)
      return phone === undefined ? undefined : parseCaller(phone)
    },
  }
}

/** Returns the associated data of a borrower's sealed number, so that it opens in no other row. */
export const nameReminder = (account: string): string => `reminder ${account.toLowerCase()}`

/** Composes the messages about an outcome, to the caller and to the recipient. */
export function composeSms(
  kind: PaymentKind,
  { amountWei, to }: Pick<Ordered, 'amountWei' | 'to'>,
  { caller, receiver }: { caller: PhoneNumber; receiver: PhoneNumber | undefined },
): { party: SmsParty; facts: SmsFacts }[] {
  const sent = { party: 'sender', facts: { phone: caller, kind, amountWei, who: to } } as const
  if (receiver === undefined) return [sent]
  const who = shortPhone(caller)
  return [sent, { party: 'receiver', facts: { phone: receiver, kind: 'received', amountWei, who } }]
}

export function smsText(
  { kind, amountWei, who }: SmsFacts,
  { state, reason }: Pick<DueSms, 'state' | 'reason'>,
  say: Messages,
  showAmount: (wei: bigint) => string,
): string {
  const writeLine = (state: ActivityState) =>
    activityLine(say, { kind, amountWei, who, state }, showAmount)
  if (state !== 'confirmed') {
    const line = writeLine({ kind: 'failed', reason: state === 'reverted' ? reason : '' })
    return `${line}\n${say.nothingMoved}`
  }
  const credited = creditedWords(say, kind)
  return credited === undefined || amountWei === 'all'
    ? writeLine({ kind: 'done' })
    : credited(showAmount(amountWei), who)
}
