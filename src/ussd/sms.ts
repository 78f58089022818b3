import * as z from 'zod/mini'
import { type PhoneNumber, parseCaller } from '../account/phone.ts'
import { createSeal, type Secret } from '../account/secrets.ts'
import { weiSchema } from '../loan/amounts.ts'
import { decodeCall } from '../loan/calls.ts'
import { kindNames } from '../loan/kinds.ts'
import { formatAgreed } from '../loan/local-worth.ts'
import { toReceiptNumber } from '../relay/forwarder/requests.ts'
import type { Answer } from '../relay/ledger/steps.ts'
import { toJson } from '../runtime/json.ts'
import { getKindWords, writeActivityLine } from './menu/entries/activity.ts'
import { walletWords } from './menu/entries/wallets.ts'
import { recallWords } from './menu/recall.ts'
import type { Messages } from './messages/en.ts'
import { shortenAddress, toShortAddress, writeTime } from './messages/texts.ts'
import type { ActivityState } from './screen-facts.ts'

const smsFacts = z.object({
  phone: z.custom<PhoneNumber>(
    (value) => typeof value === 'string' && /^\+[0-9]{7,15}$/.test(value),
  ),
  kind: z.enum([...kindNames, 'received']),
  amountWei: z.union([z.literal('all'), weiSchema]),
  /** Names the other party in short; empty if the payment has no other party. */
  who: z.string(),
})

/** Holds what a message tells of a wallet that was saved for cash-outs. */
const walletFacts = z.object({
  phone: smsFacts.shape.phone,
  kind: z.literal('wallet'),
  name: z.string(),
  address: z.string(),
})

export type SmsFacts = z.output<typeof smsFacts>
export type WalletFacts = z.output<typeof walletFacts>

export type SmsSeals = ReturnType<typeof createSmsSeals>

type DueSms = Answer<'takeSms'>['taken'][number]
type MessageName = Pick<DueSms, 'session' | 'party'>

/** Creates what encrypts messages and phone numbers under the account secret. */
export function createSmsSeals(secret: Secret) {
  const smsSeal = createSeal(secret, 'sms')
  const numberSeal = createSeal(secret, 'recipient')
  const nameSubject = ({ session, party }: MessageName) => `${session}:${party}`

  return {
    sealFacts(facts: SmsFacts | WalletFacts, name: MessageName) {
      return smsSeal.encrypt(toJson(facts), nameSubject(name))
    },
    /** Decrypts what a message says. @throws {Error} it was encrypted under another secret */
    async openFacts(sms: DueSms): Promise<SmsFacts | WalletFacts> {
      const text = await smsSeal.decrypt(sms.sealed, nameSubject(sms))
      if (text === undefined)
        throw new Error('a message was encrypted under another account secret')
      return z.union([walletFacts, smsFacts]).parse(JSON.parse(text))
    },
    sealNumber: (phone: PhoneNumber, subject: string) => numberSeal.encrypt(phone, subject),
    /** Decrypts a number; returns undefined for another subject or another secret. */
    async openNumber(sealed: string | undefined, subject: string) {
      const phone = sealed && (await numberSeal.decrypt(sealed, subject))
      return phone ? parseCaller(phone) : undefined
    },
  }
}

/** Names the subject of a borrower's encrypted number, so that no other row can use the number. */
export const nameReminderSubject = (account: string): string => `reminder ${account.toLowerCase()}`

/** Returns a message's facts as the chain executed the payment, which may be another call. */
export function correctFacts(
  facts: SmsFacts | WalletFacts,
  executed: DueSms['executed'],
  chainId: number,
): SmsFacts | WalletFacts {
  const call = executed && decodeCall(executed.data)
  if (facts.kind === 'wallet' || executed === undefined || call === undefined) return facts
  const amountWei = call.kind === 'loan' ? call.principalWei : call.amountWei
  if (!executed.isToOther) return { ...facts, amountWei }
  const who = 'to' in call ? shortenAddress(call.to, chainId) : ''
  return { ...facts, kind: call.kind, amountWei, who }
}

/**
 * Writes a message about a saved wallet, a hold or a payment's final outcome, in its reader's
 * language: its forms, the fullest first. `code` is what a reader dials who never did.
 */
export function writeSms(
  facts: SmsFacts | WalletFacts,
  payment: Omit<DueSms, 'session' | 'party' | 'attempts' | 'sealed' | 'executed'>,
  messages: Messages,
  showAmount: (wei: bigint) => string,
  code?: string,
): [fullest: string, ...shorter: string[]] {
  if (facts.kind === 'wallet') {
    return [walletWords(messages).told(facts.name, toShortAddress(facts.address))]
  }
  if (payment.recalled !== undefined) {
    const { wei, until } = payment.recalled
    const { mistaken, onlyYou, notBack } = recallWords(messages)
    const amount = showAmount(BigInt(wei))
    if (facts.kind !== 'received') return [notBack(amount, facts.who)]
    const told = mistaken(amount, facts.who, writeTime(messages, until))
    return [`${told}\n${onlyYou(code)}`, `${told}\n${onlyYou()}`, told]
  }
  const text = writeOutcome(facts, payment, messages, showAmount, code)
  const number = messages.receipt.number(toReceiptNumber(payment.intentId))
  const date = messages.date(payment.acceptedAt / 1_000)
  return [`${text}\n${number}, ${date}`, `${text}\n${number}`, text]
}

function writeOutcome(
  { kind, amountWei, who }: SmsFacts,
  { state, reason, agreed }: Pick<DueSms, 'state' | 'reason' | 'agreed'>,
  messages: Messages,
  showAmount: (wei: bigint) => string,
  code: string | undefined,
): string {
  const writeLine = (outcome: ActivityState) =>
    writeActivityLine(
      messages,
      { kind, amountWei, agreed, counterparty: who, state: outcome },
      showAmount,
    )
  if (state !== 'confirmed') {
    const line = writeLine({ kind: 'failed', reason })
    return `${line}\n${messages.nothingMoved}`
  }
  const { creditedMessage } = getKindWords(messages, kind)
  return creditedMessage === undefined || amountWei === 'all'
    ? writeLine({ kind: 'done' })
    : creditedMessage(formatAgreed(agreed, showAmount(amountWei)), who, code)
}
