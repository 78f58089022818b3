import { type Address, checksumAddress, type Hex } from 'viem'
import { sealedIn, withSender, withSent, withSentTo } from '../account/memory.ts'
import { shortPhone } from '../account/phone.ts'
import type { Pins } from '../account/pin.ts'
import type { Seal } from '../account/seal.ts'
import type { IntentKeys, SessionKeys } from '../account/session-keys.ts'
import { encodeCall, type LoanTerms } from '../loan/calls.ts'
import type { LoanReader } from '../loan/reader.ts'
import { deriveIntentId, type Forwarder } from '../relay/forwarder/requests.ts'
import type { HeldSms, Ledger, Question } from '../relay/ledger/port.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { AcceptedAs, Pay } from '../relay/pay/delivery.ts'
import { describeFault } from '../runtime/log.ts'
import { type Asked, joinAnswers } from './asked.ts'
import type { Intent, MenuSettings, Ordered } from './menu/node.ts'
import { payments } from './menu/payments.ts'
import { shortAddress } from './messages/texts.ts'
import type { Recipient } from './recipient.ts'
import { refusalText } from './refused.ts'
import { type RememberOptions, remember } from './remember.ts'
import { end, type Screen } from './screens/screen.ts'
import { shownAt, shownTerms } from './shown.ts'
import { composeSms, nameReminder, type SmsSeals } from './sms.ts'

export type PayingOptions = RememberOptions & {
  chainId: number
  forwarder: Forwarder
  loan: LoanReader
  intentKeys: IntentKeys
  keys: Pick<SessionKeys, 'input'>
  ledger: Pick<Ledger, 'findEqual' | 'rememberFirst' | 'recall'>
  pins: Pins | undefined
  pay: Pay
  smsSeals?: SmsSeals | undefined
  /** Seals the sender's short number for the account that received the money. */
  senderSeal: Seal
  leastTransferWei: bigint
  settings: MenuSettings
  showAmount: (wei: bigint) => string
}

type Paying = PayingOptions & Asked

/** Holds what a session asks for, and the answers that led there, without secret ones. */
export type Wanted = {
  intent: Intent
  answers: readonly string[]
  /** Names the step of the last correct PIN; undefined if none was asked for. */
  authorizedBy: string | undefined
  /** Asks whether the caller wants an equal payment again; without an answer nothing is paid. */
  askOfEqual?: ((minutes: number) => Screen) | undefined
}

/** Pays, or first asks whether the caller wants an equal recent payment again. */
export async function payFor(of: Paying, wanted: Wanted): Promise<PaymentAnswer> {
  const { intent, answers, askOfEqual } = wanted
  if (askOfEqual !== undefined) {
    const minutes = await equalMinutes(of, await of.question(joinAnswers(answers)), intent)
    if (minutes !== undefined) return { kind: 'screen', screen: askOfEqual(minutes) }
  }
  const { intentId, answered } = await carryOut(of, wanted)
  if (answered.kind === 'screen' && answered.screen.kind === 'end') {
    await rememberRecipient(of, intentId, intent)
  }
  return answered
}

/** Asks the ledger before the chain, so that money in flight is not reported as a low balance. */
export async function equalMinutes(of: Paying, question: Question, intent: Intent) {
  const { call } = await createOrder(of, intent)
  return await of.ledger.findEqual(question, { data: encodeCall(call) })
}

/** Creates the order of a payment; `terms` are those of a loan, if they were shown. */
async function createOrder(of: Paying, intent: Intent, terms?: LoanTerms): Promise<Ordered> {
  const { chainId, loan, leastTransferWei, account } = of
  const parts = {
    ...{ loan, leastTransferWei },
    terms: async () => terms ?? (await loan.terms()),
    findAddress: (recipient: Recipient) => findAddress(of, recipient),
    describeAddress: (recipient: Recipient) =>
      recipient.kind === 'address'
        ? (recipient.name ?? shortAddress(checksumAddress(recipient.address, chainId)))
        : shortNumber(recipient),
  }
  return await payments[intent.kind].order(parts, intent, (await account()).address)
}

/** Carries out what a caller wants, at most once per gateway and session. */
export async function carryOut(of: Paying, { intent, answers, authorizedBy, askOfEqual }: Wanted) {
  const { gateway, sessionId, since, forwarder, pins } = of
  const caller = await of.account()
  const key = await of.intentKeys(gateway, sessionId, caller.address)
  const intentId = deriveIntentId(forwarder, key)
  const question = await of.question(joinAnswers(answers))
  if (pins !== undefined && authorizedBy === undefined) throw new Error('no PIN was right')
  const answered = await of.pay({
    ...{ since, answerCount: answers.length, question, intentId, caller, askOfEqual },
    async denied() {
      const why = await findDenial(of, authorizedBy)
      return why && { kind: 'not_authorized', why }
    },
    call: () => findContractCall(of, { intent, intentId, answers }),
    refused: (refusal) => end(refusalText(of, refusal, intent.kind)),
  })
  return { intentId, answered }
}

/** Creates the contract call of an intent, with its screen. */
async function findContractCall(
  of: Paying,
  { intent, intentId, answers }: Pick<Wanted, 'intent' | 'answers'> & { intentId: Hex },
) {
  const { say, settings, ledger, question } = of
  const { kind } = intent
  // The caller agreed to the amount that the last screen showed.
  const terms =
    kind === 'loan' && settings.confirms
      ? await shownAt(ledger, await question(joinAnswers(answers.slice(0, -1))), shownTerms)
      : undefined
  const ordered = await createOrder(of, intent, terms)
  const { call, spendsWei, shared, amountWei, to, till } = ordered
  const code = till === undefined ? '' : await codeOf(of.keys, intentId)
  const amount = amountWei === 'all' ? amountWei : of.showAmount(amountWei)
  const { submitted } = payments[kind].words(say)
  const queued = ({ minutes }: { minutes: string }) =>
    settings.profile === 'demo' ? say.queued : say.queuedFor(minutes)
  return {
    ...{ data: encodeCall(call), kind, spendsWei, shared, till },
    submitted: (tx: AcceptedAs) =>
      end(submitted(amount, to, 'hash' in tx ? `${tx.hash}...` : queued(tx), code)),
    sms: await sealedSms(of, intent, ordered),
    ...(kind === 'loan' && { reminder: await sealedBorrower(of) }),
  }
}

/** Returns the 6 digits by which caller and agent know a payment; nobody else can compute them. */
export async function codeOf(keys: Pick<SessionKeys, 'input'>, intentId: Hex): Promise<string> {
  const digest = await keys.input('code', intentId)
  return `${Number.parseInt(digest.slice(-12), 16) % 1_000_000}`.padStart(6, '0')
}

/** Returns why the session's PIN no longer authorizes it; undefined if it does. */
export async function findDenial(of: Pick<Paying, 'pins' | 'account'>, step: string | undefined) {
  if (of.pins === undefined || step === undefined) return undefined
  const found = await of.pins.authorize((await of.account()).address, step)
  return found === 'valid' ? undefined : found
}

/** Seals the messages that are sent once the outcome is final. */
async function sealedSms(of: Paying, intent: Intent, ordered: Ordered): Promise<HeldSms[]> {
  const { smsSeals, phone: caller } = of
  if (smsSeals === undefined) return []
  const session = await of.session()
  const receiver = await sealPhone(of, smsSeals, findReceiver(intent))
  return Promise.all(
    composeSms(intent.kind, ordered, { caller, receiver }).map(async ({ party, facts }) => ({
      party,
      sealed: await smsSeals.facts(facts, { session, party }),
    })),
  )
}

/** Seals the borrower's number for reminders; only the lender's profile sends them. */
async function sealedBorrower({ smsSeals, settings, account, phone }: Paying) {
  if (settings.profile === 'demo') return undefined
  return await smsSeals?.number(phone, nameReminder((await account()).address))
}

type Receiver = Exclude<Recipient, { kind: 'address' }>

const findReceiver = ({ recipient }: Intent): Receiver | undefined =>
  recipient?.kind === 'address' ? undefined : recipient

/** Returns the sealed phone of the recipient; undefined if it is not known. */
async function sealPhone(of: Paying, smsSeals: SmsSeals, receiver: Receiver | undefined) {
  if (receiver === undefined || receiver.kind === 'till') return undefined
  if (receiver.kind === 'phone') return receiver.phone
  try {
    const { address: sender } = await of.account()
    const sealed = sealedIn(await of.memory.read(sender), receiver.address)
    return sealed === undefined ? undefined : await smsSeals.open(sealed, sender)
  } catch (error) {
    // A failed message must not stop a payment.
    of.log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
    return undefined
  }
}

/**
 * Keeps what the screen said of a number for the activity, since an address tells callers nothing.
 */
async function rememberRecipient(of: Paying, intentId: Hex, intent: Intent): Promise<void> {
  const receiver = findReceiver(intent)
  if (of.settings.profile === 'demo' || receiver === undefined) return
  const { address: sender } = await of.account()
  const [to, address] = [shortNumber(receiver), await findAddress(of, receiver)]
  const sealed =
    receiver.kind === 'phone' ? await of.smsSeals?.number(receiver.phone, sender) : undefined
  const amountWei = typeof intent.amountWei === 'bigint' ? `${intent.amountWei}` : undefined
  if (receiver.kind === 'till') {
    const who = `${to} (${await codeOf(of.keys, intentId)})`
    remember(of, sender, (kept) => withSentTo(kept, { intentId, address, to: who }))
  } else {
    remember(of, sender, (kept) => withSent(kept, intentId, { to, address, sealed, amountWei }))
  }
  const from = await of.senderSeal.close(shortPhone(of.phone), address.toLowerCase())
  const note = { address: sender, sealed: from }
  remember(of, address, (kept) => withSender(kept, note), 'others')
}

const shortNumber = (receiver: Receiver): string =>
  receiver.kind === 'phone' ? shortPhone(receiver.phone) : receiver.label

const findAddress = async ({ accounts }: Asked, recipient: Recipient): Promise<Address> =>
  recipient.kind === 'phone' ? (await accounts(recipient.phone)).address : recipient.address
