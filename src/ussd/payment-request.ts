import { type Hex, isAddressEqual, maxUint256 } from 'viem'
import {
  findSealedNumber,
  recordPayment,
  recordRecipientName,
  recordSender,
} from '../account/memory.ts'
import { type PhoneNumber, shortenPhone } from '../account/phone.ts'
import type { SessionKeys } from '../account/secrets.ts'
import { paysWallet } from '../account/wallets.ts'
import { decodeCall, encodeCall, type LoanCall, type LoanTerms } from '../loan/calls.ts'
import { getCallKind, getCallRules } from '../loan/kinds.ts'
import { agreeToWorth, type LocalWorth, type Rate } from '../loan/local-worth.ts'
import { readLoanTerms } from '../loan/reader.ts'
import type { Attachments } from '../operator/kept/takings.ts'
import { nameTillSubject } from '../operator/kept/tills.ts'
import {
  assuredLifetimeSeconds,
  requestLifetimeSeconds,
  signRequest,
  toReceiptNumber,
} from '../relay/forwarder/requests.ts'
import {
  computeTaken,
  type HeldSms,
  hashPlaceholder,
  minutesPlaceholder,
  type Order,
  type SmsParty,
} from '../relay/ledger/values.ts'
import type { IntentName } from '../relay/outcome/spent.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { PayingStep, PreparedOrder } from '../relay/pay/paying-step.ts'
import { describeFault } from '../runtime/log.ts'
import { findReturned, readSpendable } from './known-refusal.ts'
import { type Intent, requireAnswer } from './menu/node.ts'
import { shortenAddress } from './messages/texts.ts'
import { estimateAfter, getFee, type ShownPayment, writeSubmitted } from './receipt.ts'
import type { Recipient } from './recipient.ts'
import { writeRefusal } from './refusal-texts.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import { readRecord, readSessionRate, termsRecord } from './session/records.ts'
import { nameReminderSubject, type SmsFacts, type SmsSeals } from './sms.ts'
import { joinAnswers, nameIntent, updateMemoryLater, type Visit } from './visit.ts'

export type PaymentRequest = {
  intent: Intent
  /** Names the step of the last correct PIN; undefined if no PIN was asked for. */
  authorizedBy: string | undefined
  /** Names the question that was answered, unless a late answer pays too. */
  question?: { input: string; holdsMs: number } | undefined
  /** Creates the question that is asked first if an equal payment was made before. */
  createRepeatScreen?: PayingStep['texts']['repeat']
}

/** Makes a payment, at most once per gateway and session, or asks whether to repeat one. */
export async function requestPayment(
  visit: Visit,
  { intent, authorizedBy, question, createRepeatScreen }: PaymentRequest,
): Promise<{ intentId: Hex; answer: PaymentAnswer }> {
  if (visit.services.pins !== undefined && authorizedBy === undefined) {
    throw new Error('a payment was requested without a correct PIN')
  }
  const name = nameIntent(visit)
  const rate = await readSessionRate(visit)
  const answer = await visit.services.pay({
    since: visit.since,
    answerCount: visit.answers.length,
    stepKey: visit.stepKey,
    intent: name,
    returns: findReturned(intent),
    question,
    createOrder: () => prepareOrder(visit, intent, name, rate),
    async findDenial() {
      const why = (await findDenial(visit, authorizedBy)) ?? (await findChange(visit, intent))
      return why && { kind: 'not_authorized', reason: why }
    },
    texts: {
      repeat: createRepeatScreen,
      paid: (paid) => writePaid(visit, { intent, intentId: name.intentId, paid }),
      refusal: (refusal) => endScreen(writeRefusal(visit, refusal, intent.kind, rate)),
    },
  })
  if (answer.kind === 'screen' && answer.screen.kind === 'end') {
    await recordRecipient(visit, name.intentId, intent)
  }
  return { intentId: name.intentId, answer }
}

/** Returns an equal payment that the account made lately. */
export async function findEqualPayment(visit: Visit, intent: Intent) {
  const { call, amountWei } = await planCall(visit, intent)
  const agreed = await findAgreed(visit, intent, amountWei)
  return await visit.services.ledger.recordEarlier(visit.stepKey, {
    data: encodeCall(call),
    agreed,
  })
}

/** Describes a payment's call and what it moves; `amountWei` is the amount that screens show. */
type PlannedCall = Pick<Order, 'spendsWei' | 'reserves'> & {
  call: LoanCall
  amountWei: bigint | 'all'
}

/** Plans the call of a payment; `shownTerms` are the terms of a loan that the caller agreed to. */
async function planCall(
  visit: Visit,
  intent: Intent,
  shownTerms?: LoanTerms,
): Promise<PlannedCall> {
  const { loan, minTransferWei } = visit.services
  const { address: account } = visit.account
  const { kind, recipient, amountWei: askedWei } = intent
  const callKind = getCallKind(kind)
  if (callKind === 'loan') {
    const terms = shownTerms ?? (await readLoanTerms(loan, account, askedWei ?? 'all'))
    // Nobody has seen these terms: where they are of less than was asked, the contract refuses.
    const isLess = shownTerms === undefined && typeof askedWei === 'bigint'
    return toPlan({ ...terms, kind: callKind, ...(isLess && { principalWei: askedWei }) })
  }
  if (callKind === 'deposit') return toPlan({ kind: callKind, account, amountWei: 'all' })
  if (callKind === 'repayment')
    return toPlan({ kind: callKind, amountWei: requireAnswer(askedWei) })
  const isWhole = askedWei === 'all'
  // The contract has no value for the whole balance, so this is the one of this moment.
  const amountWei = isWhole
    ? await readSpendable(visit.services, account, intent)
    : requireAnswer(askedWei)
  const to = await resolveAddress(visit, requireAnswer(recipient))
  const isTooLittle = isWhole && (amountWei === 0n || amountWei < minTransferWei)
  if (callKind === 'cashOut' || !isTooLittle) return toPlan({ kind: callKind, to, amountWei })
  // The contract refuses this amount, and its refusal tells the caller's balance.
  const call = { kind: callKind, to, amountWei: maxUint256 }
  return { call, spendsWei: 0n, amountWei: 0n }
}

const toPlan = (call: LoanCall): PlannedCall => ({
  ...computeTaken(call),
  call,
  amountWei: call.kind === 'loan' ? call.principalWei : call.amountWei,
})

/** Returns what the caller agrees to in local money: as typed, else the worth in this session. */
async function findAgreed(
  visit: Visit,
  { kind, agreed, amountWei: askedWei }: Intent,
  amountWei: bigint | 'all',
): Promise<LocalWorth | undefined> {
  // A loan may be of less than was typed.
  if (agreed !== undefined && amountWei === askedWei) return agreed
  // No screen tells what all of a balance is worth.
  if (amountWei === 'all') return undefined
  if (askedWei === 'all' && kind !== 'loan') return undefined
  const rate = await readSessionRate(visit)
  return rate === 'none' ? undefined : agreeToWorth(amountWei, visit.services.unit, rate)
}

/** Creates and signs the order of a payment, with its screens and messages. */
async function prepareOrder(
  visit: Visit,
  intent: Intent,
  name: IntentName,
  rate: Rate | 'none',
): Promise<PreparedOrder> {
  const { settings, ledger, forwarder, now, keys } = visit.services
  const { messages, account, createStepKey, answers } = visit
  const { kind, recipient, reference } = intent
  // The step before the last answer showed the terms to agree to.
  const termsStep = joinAnswers(answers.slice(0, -1))
  const shownTerms =
    kind === 'loan' && settings.confirms
      ? await readRecord(ledger, createStepKey(termsStep), termsRecord)
      : undefined
  const { call, spendsWei, reserves, amountWei } = await planCall(visit, intent, shownTerms)
  const code = recipient?.kind === 'till' ? derivePaymentCode(keys, name.intentId) : ''
  const agreed = await findAgreed(visit, intent, amountWei)
  const [to, receipt] = [nameRecipient(visit, intent), toReceiptNumber(name.intentId)]
  const shown = { kind, amountWei, agreed, to, code, receipt, feeWei: getFee(call) }
  const queued =
    settings.profile === 'demo' ? messages.queued : messages.queuedFor(minutesPlaceholder)
  const till = recipient?.kind === 'till' && { account: recipient.address, reference, code }
  const mayBeAssured = till !== false && spendsWei <= (settings.finalUpToWei ?? 0n)
  const sign = (lifetimeSeconds: number) =>
    signRequest(account, forwarder, {
      ...name,
      gas: getCallRules(kind).gas,
      deadline: Math.floor(now() / 1_000) + lifetimeSeconds,
      data: encodeCall(call),
    })
  const [request, lasting] = await Promise.all([
    sign(requestLifetimeSeconds),
    mayBeAssured ? sign(assuredLifetimeSeconds) : undefined,
  ])
  return {
    order: {
      request,
      lasting,
      kind,
      spendsWei,
      agreed,
      reserves,
      attached: till ? ({ till } satisfies Attachments) : undefined,
      sms: await sealSms(visit, shown, intent),
      reminder: kind === 'loan' ? await sealBorrower(visit) : undefined,
    },
    async writeScreens(isAlone) {
      const mayTell = isAlone && settings.profile !== 'demo'
      const after = mayTell ? await estimateAfter(visit, call) : undefined
      return {
        carried: writeSubmitted(visit, { ...shown, after }, { hash: hashPlaceholder }, rate),
        queued: writeSubmitted(visit, { ...shown, after }, { queued }, rate),
      }
    },
    // An account that is derived from a number, also a till's, has a key and never code.
    payee: recipient?.kind === 'address' ? recipient.address : undefined,
  }
}

/**
 * Writes the screen of what the chain executed. Its call says what was paid to whom; the typed text
 * only gives the words for that, where it names the same recipient.
 */
async function writePaid(
  visit: Visit,
  { intent, intentId, paid }: { intent: Intent; intentId: Hex; paid: { data: Hex; hash: Hex } },
): Promise<Screen> {
  const { chainId, keys } = visit.services
  const call = decodeCall(paid.data)
  if (call === undefined) throw new Error('this version does not know an executed call')
  const { recipient } = intent
  const payee = 'to' in call ? call.to : undefined
  const isNamed =
    getCallKind(intent.kind) === call.kind &&
    (payee === undefined ||
      (recipient !== undefined && isAddressEqual(await resolveAddress(visit, recipient), payee)))
  const shown = {
    kind: isNamed ? intent.kind : call.kind,
    amountWei: call.kind === 'loan' ? call.principalWei : call.amountWei,
    to: isNamed ? nameRecipient(visit, intent) : payee ? shortenAddress(payee, chainId) : '',
    code: derivePaymentCode(keys, intentId),
    receipt: toReceiptNumber(intentId),
    feeWei: getFee(call),
  }
  return writeSubmitted(visit, shown, paid)
}

/** Derives the 6 digits that caller and agent compare. Only this service can compute them. */
export function derivePaymentCode(keys: Pick<SessionKeys, 'hashInput'>, intentId: Hex): string {
  const digest = keys.hashInput('code', intentId)
  return `${Number.parseInt(digest.slice(-12), 16) % 1_000_000}`.padStart(6, '0')
}

/** Finds why a correct PIN no longer authorizes its session; undefined if it still does. */
export async function findDenial(
  { services: { pins }, account }: Visit,
  authorizedBy: string | undefined,
) {
  if (pins === undefined || authorizedBy === undefined) return undefined
  const authorization = await pins.readAuthorization(account.address, authorizedBy)
  return authorization === 'valid' ? undefined : authorization
}

/** Tells whether the wallet that is paid by its name has another address by now, or a new one. */
async function findChange(
  { services: { memory }, account }: Visit,
  { recipient }: Intent,
): Promise<'wallet' | undefined> {
  if (recipient?.kind !== 'address' || recipient.name === undefined) return undefined
  const { name, address } = recipient
  const { now, ...stored } = await memory.read(account.address)
  return paysWallet(stored, { name, address }, now) ? undefined : 'wallet'
}

/** Encrypts the messages that are sent when the payment's outcome is final. */
async function sealSms(
  visit: Visit,
  { kind, amountWei, to, code }: ShownPayment,
  { recipient, reference }: Intent,
): Promise<HeldSms[]> {
  const { smsSeals } = visit.services
  if (smsSeals === undefined) return []
  const { session } = visit
  const phone = await findReceiverPhone(visit, smsSeals, recipient)
  const seal = async (party: SmsParty, facts: SmsFacts): Promise<HeldSms> => ({
    party,
    sealed: await smsSeals.sealFacts(facts, { session, party }),
  })
  const payer = shortenPhone(visit.phone)
  // The code of a purchase is compared; that of a withdrawal its caller has to tell.
  const from = kind === 'purchase' ? `${payer} (${code})` : payer
  const who = [from, reference].filter(Boolean).join(', ')
  return Promise.all([
    seal('sender', { phone: visit.phone, kind, amountWei, who: to }),
    ...(phone ? [seal('receiver', { phone, kind: 'received', amountWei, who })] : []),
  ])
}

/** Encrypts the borrower's number for reminders, which the demonstration does not send. */
async function sealBorrower({ services, account, phone }: Visit) {
  const { settings, smsSeals } = services
  if (settings.profile === 'demo') return undefined
  return await smsSeals?.sealNumber(phone, nameReminderSubject(account.address))
}

/** Returns the recipient's phone number; undefined if only the address is known. */
export async function findReceiverPhone(
  { services: { memory, ledger, log }, account }: Visit,
  smsSeals: SmsSeals,
  recipient: Recipient | undefined,
): Promise<PhoneNumber | undefined> {
  if (recipient?.kind === 'phone') return recipient.phone
  if (recipient?.kind !== 'known' && recipient?.kind !== 'till') return undefined
  try {
    const { address: sender } = account
    if (recipient.kind === 'till') {
      const kept = await ledger.findTillNumber(recipient.address)
      return await smsSeals.openNumber(kept, nameTillSubject(recipient.address))
    }
    const sealed =
      recipient.sealed ?? findSealedNumber(await memory.read(sender), recipient.address)
    return await smsSeals.openNumber(sealed, sender)
  } catch (error) {
    // A payment goes on without the message to its recipient.
    log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
    return undefined
  }
}

/** Records recipient and sender for each other by short number, for activity and lists. */
async function recordRecipient(visit: Visit, intentId: Hex, intent: Intent): Promise<void> {
  const { recipient } = intent
  const isSaved = recipient !== undefined && recipient.kind !== 'address'
  if (visit.services.settings.profile === 'demo' || !isSaved) return
  const { address: sender } = visit.account
  const to = describeRecipient(visit, recipient)
  const address = await resolveAddress(visit, recipient)
  const sealed =
    recipient.kind === 'phone'
      ? await visit.services.smsSeals?.sealNumber(recipient.phone, sender)
      : undefined
  const amountWei = typeof intent.amountWei === 'bigint' ? `${intent.amountWei}` : undefined
  const { currency, cents } = intent.agreed ?? {}
  const local = currency && cents ? { currency, cents } : undefined
  // Who gives back what came by mistake does not pay its sender again.
  if (recipient.kind === 'till' || findReturned(intent) !== undefined) {
    const code = derivePaymentCode(visit.services.keys, intentId)
    const label = recipient.kind === 'till' ? `${to} (${code})` : to
    updateMemoryLater(visit.services, sender, (memory) =>
      recordRecipientName(memory, { intentId, address, to: label }),
    )
  } else {
    updateMemoryLater(visit.services, sender, (memory) =>
      recordPayment(memory, intentId, { to, address, sealed, amountWei, local }),
    )
  }
  const number = shortenPhone(visit.phone)
  const sealedNumber = await visit.services.senderSeal.encrypt(number, address.toLowerCase())
  const senderRecord = { address: sender, sealed: sealedNumber }
  updateMemoryLater(
    visit.services,
    address,
    (memory) => recordSender(memory, senderRecord),
    'others',
  )
}

/** Names a recipient in short, as activity and messages do. */
function describeRecipient(visit: Visit, recipient: Recipient): string {
  switch (recipient.kind) {
    case 'address':
      return recipient.name ?? shortenAddress(recipient.address, visit.services.chainId)
    case 'phone':
      return shortenPhone(recipient.phone)
    case 'till':
    case 'known':
      return recipient.label
  }
}

/** Names the recipient of a payment with its reference; empty if it has none. */
const nameRecipient = (visit: Visit, { recipient, reference }: Intent): string =>
  [recipient && describeRecipient(visit, recipient), reference].filter(Boolean).join(', ')

/** Returns the account of a recipient. */
export const resolveAddress = async (
  { accounts }: Pick<Visit, 'accounts'>,
  recipient: Recipient,
) => (recipient.kind === 'phone' ? (await accounts(recipient.phone)).address : recipient.address)
