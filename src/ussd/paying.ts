import { type Address, checksumAddress, type Hex } from 'viem'
import { sealedIn, withSent } from '../account/memory.ts'
import { type PhoneNumber, shortPhone } from '../account/phone.ts'
import type { Authorization, Pins } from '../account/pin.ts'
import type { IntentKeys } from '../account/session-keys.ts'
import { callOf, type LoanTerms } from '../loan/calls.ts'
import type { LoanReader } from '../loan/reader.ts'
import { type Forwarder, intentIdOf } from '../relay/forwarder/requests.ts'
import type { HeldSms, Ledger, Question } from '../relay/ledger/port.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { ContractCall, Pay } from '../relay/pay/delivery.ts'
import { faultOf } from '../runtime/log.ts'
import { type Asked, stepOf } from './asked.ts'
import {
  type Intent,
  isEffect,
  type MenuContext,
  type MenuSettings,
  nodeAt,
  type Ordered,
} from './menu/node.ts'
import { payments } from './menu/payments.ts'
import { type Place, promptOf } from './menu/walk.ts'
import { shortAddress } from './messages/texts.ts'
import type { Recipient } from './recipient.ts'
import { refusalText } from './refused.ts'
import { type RememberOptions, remember } from './remember.ts'
import { end, goOn, type Screen } from './screens/screen.ts'
import { shownAt, shownTerms } from './shown.ts'
import { type SmsSeals, smsOf } from './sms.ts'

export type PayingOptions = RememberOptions & {
  chainId: number
  forwarder: Forwarder
  loan: LoanReader
  intentKeys: IntentKeys
  ledger: Pick<Ledger, 'equal' | 'shown'>
  /** Undefined: no PIN is asked for. */
  pins: Pins | undefined
  pay: Pay
  /** Undefined: no messages are sent. */
  smsSeals?: SmsSeals | undefined
  /** What a transfer has to be at least. */
  leastTransferWei: bigint
  settings: MenuSettings
  amountOf: (wei: bigint) => string
}

/** A payment that a session asks for, with the answers that led to it. */
export type Wanted = {
  intent: Intent
  /** Nothing that is secret is in them. */
  answers: readonly string[]
  /** The step of the last right PIN. Undefined: none was asked for. */
  authorizedBy: string | undefined
}

/** Where an equal payment of a moment ago is asked about, instead of paying once more. */
export type AskedInstead = { place: Place; context: MenuContext }

/** Pays, or asks whether an equal payment of a moment ago is meant once more. */
export async function payFor(
  parts: PayingOptions,
  asked: Asked,
  wanted: Wanted,
  instead: AskedInstead | undefined,
): Promise<PaymentAnswer> {
  const askOfEqual = questionOfEqual(instead)
  if (askOfEqual !== undefined) {
    const question = await asked.question(stepOf(wanted.answers))
    const minutes = await minutesSinceEqual(parts, asked, question, wanted.intent)
    if (minutes !== undefined) return { kind: 'screen', screen: askOfEqual(minutes) }
  }
  const { intentId, answered } = await carryOut(parts, asked, wanted, askOfEqual)
  if (answered.kind === 'screen' && answered.screen.kind === 'end') {
    await rememberRecipient(parts, asked, intentId, wanted.intent)
  }
  return answered
}

/**
 * The question whether an equal payment of a moment ago is meant once more; undefined where it is not to be
 * asked. What one delivery found is found by each one, however late it comes: a question is not paid
 * without its answer.
 */
function questionOfEqual(
  instead: AskedInstead | undefined,
): ((minutes: number) => Screen) | undefined {
  // What "all" comes to changes with each payment: it is never the same twice.
  if (instead === undefined || instead.place.draft.amountWei === 'all') return undefined
  const { place, context } = instead
  return (earlierMinutes) => goOn(promptOf(place, context, { earlierMinutes }))
}

/** Looked at before the chain is: that the money has gone already is not told as a balance that is too low. */
async function minutesSinceEqual(
  parts: PayingOptions,
  asked: Asked,
  question: Question,
  intent: Intent,
): Promise<number | undefined> {
  const { call } = await orderOf(parts, asked, intent)
  return await parts.ledger.equal(question, { data: callOf(call) })
}

/** The minutes since the payment was accepted that a place asks about. */
export async function minutesAt(
  parts: PayingOptions,
  asked: Asked,
  question: Question,
  { name, draft }: Place,
  { menu }: MenuContext,
): Promise<number> {
  const node = nodeAt(menu, name)
  const effects = node.kind === 'list' ? node.entries.map(({ leads }) => leads) : []
  const intent = effects.find(isEffect)?.outcome(draft) as Intent
  return (await minutesSinceEqual(parts, asked, question, intent)) ?? 0
}

/** Makes the order of a payment. `terms`: of a loan, where they were shown. */
async function orderOf(
  { chainId, loan, leastTransferWei }: PayingOptions,
  { accounts, account }: Asked,
  intent: Intent,
  terms?: LoanTerms | undefined,
): Promise<Ordered> {
  const parts = {
    loan,
    leastTransferWei,
    terms: async () => terms ?? (await loan.terms()),
    addressOf: (recipient: Recipient) => addressOf(recipient, accounts),
    shortOf: (recipient: Recipient) =>
      recipient.kind === 'address'
        ? shortAddress(checksumAddress(recipient.address, chainId))
        : shortNumber(recipient),
  }
  return await payments[intent.kind].order(parts, intent, (await account()).address)
}

/** Carries out what a caller wants, at most once for its gateway and session. */
export async function carryOut(
  parts: PayingOptions,
  asked: Asked,
  { intent, answers, authorizedBy }: Wanted,
  askOfEqual?: (minutes: number) => Screen,
): Promise<{ intentId: Hex; answered: PaymentAnswer }> {
  const { forwarder, intentKeys, pins, amountOf } = parts
  const { gateway, sessionId, since, say } = asked
  const caller = await asked.account()
  const key = await intentKeys(gateway, sessionId, caller.address)
  const intentId = intentIdOf(forwarder, key)
  const question = await asked.question(stepOf(answers))
  if (pins !== undefined && authorizedBy === undefined) throw new Error('no PIN was right')
  const answered = await parts.pay({
    since,
    steps: answers.length,
    question,
    intentId,
    caller,
    askOfEqual,
    async denied() {
      const why = await denialOf(pins, caller.address, authorizedBy)
      return why && { kind: 'not_authorized', why }
    },
    call: () => contractCallOf(parts, asked, intent, answers),
    refused: (refusal) => end(refusalText({ say, amountOf }, refusal, intent.kind)),
  })
  return { intentId, answered }
}

/** The contract's call that carries out an intent, with the screen that says so. */
async function contractCallOf(
  parts: PayingOptions,
  asked: Asked,
  intent: Intent,
  answers: readonly string[],
): Promise<ContractCall> {
  const { kind } = intent
  const { say } = asked
  const ordered = await orderOf(
    parts,
    asked,
    intent,
    await termsShown(parts, asked, intent, answers),
  )
  const { call, spendsWei, shared, amountWei, to } = ordered
  const amount = amountWei === 'all' ? amountWei : parts.amountOf(amountWei)
  const { submitted } = payments[kind].words(say)
  return {
    data: callOf(call),
    kind,
    spendsWei,
    shared,
    // Without a hash the payment is queued.
    submitted: (hash) => end(submitted(amount, to, hash === undefined ? say.queued : `${hash}...`)),
    sms: await sealedSms(parts, asked, intent, ordered),
  }
}

/** A loan is of the amount that the screen before showed: that is what was agreed to. */
async function termsShown(
  { settings, ledger }: PayingOptions,
  { question }: Asked,
  { kind }: Intent,
  answers: readonly string[],
): Promise<LoanTerms | undefined> {
  if (kind !== 'loan' || !settings.confirms) return undefined
  return await shownAt(ledger, await question(stepOf(answers.slice(0, -1))), shownTerms)
}

export type Denial = Exclude<Authorization, 'valid'>

/** Why the PIN of a session lets it do nothing now; undefined where it does, and where none was asked for. */
export async function denialOf(
  pins: Pins | undefined,
  account: Address,
  step: string | undefined,
): Promise<Denial | undefined> {
  if (pins === undefined || step === undefined) return undefined
  const found = await pins.authorize(account, step)
  return found === 'valid' ? undefined : found
}

/** Messages that are sent once the outcome is final. Until then no one can read to whom. */
async function sealedSms(
  parts: PayingOptions,
  { phone: caller, account, session: sessionOf }: Asked,
  intent: Intent,
  ordered: Ordered,
): Promise<HeldSms[]> {
  const { smsSeals } = parts
  if (smsSeals === undefined) return []
  const [{ address }, session] = await Promise.all([account(), sessionOf()])
  const receiver = await phoneOf(parts, smsSeals, receiverOf(intent), address)
  return Promise.all(
    smsOf(intent.kind, ordered, { caller, receiver }).map(async ({ party, facts }) => ({
      party,
      sealed: await smsSeals.facts(facts, { session, party }),
    })),
  )
}

type Receiver = Exclude<Recipient, { kind: 'address' }>

/** Who gets the money, where it goes to a number. */
const receiverOf = ({ recipient }: Intent): Receiver | undefined =>
  recipient?.kind === 'address' ? undefined : recipient

/** The phone of who gets the money. Undefined: it has none, or none is known. */
async function phoneOf(
  { memory, log }: PayingOptions,
  smsSeals: SmsSeals,
  receiver: Receiver | undefined,
  sender: Address,
): Promise<PhoneNumber | undefined> {
  if (receiver?.kind !== 'known') return receiver?.phone
  try {
    const sealed = sealedIn(await memory.read(sender), receiver.address)
    return sealed === undefined ? undefined : await smsSeals.open(sealed, sender)
  } catch (error) {
    // A payment waits for no message.
    log({ level: 'warn', event: 'memory.failed', message: faultOf(error) })
    return undefined
  }
}

/** An address says nothing to who typed a number: what the screen said of it is kept for the activity. */
async function rememberRecipient(
  parts: PayingOptions,
  { accounts, account }: Asked,
  intentId: Hex,
  intent: Intent,
): Promise<void> {
  const receiver = receiverOf(intent)
  if (parts.settings.profile === 'demo' || receiver === undefined) return
  const { address: sender } = await account()
  const to = shortNumber(receiver)
  const address = await addressOf(receiver, accounts)
  const sealed =
    receiver.kind === 'phone' ? await parts.smsSeals?.number(receiver.phone, sender) : undefined
  remember(parts, sender, (kept) => withSent(kept, intentId, { to, address, sealed }))
}

/** What screens show of a number once a payment goes there. */
const shortNumber = (receiver: Receiver): string =>
  receiver.kind === 'known' ? receiver.label : shortPhone(receiver.phone)

async function addressOf(recipient: Recipient, accounts: Asked['accounts']): Promise<Address> {
  return recipient.kind === 'phone' ? (await accounts(recipient.phone)).address : recipient.address
}
