import { checksumAddress, type Hex, isAddressEqual } from 'viem'
import {
  findSealedNumber,
  recordPayment,
  recordRecipientName,
  recordSender,
} from '../account/memory.ts'
import { type PhoneNumber, shortenPhone } from '../account/phone.ts'
import { readWithTime } from '../account/pin.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import { paysWallet } from '../account/wallets.ts'
import { decodeCall, encodeCall, type LoanTerms } from '../loan/calls.ts'
import { getCallKind, getCallRules } from '../loan/kinds.ts'
import type { Attachments } from '../operator/kept/takings.ts'
import { signRequest } from '../relay/forwarder/requests.ts'
import { type HeldSms, hashPlaceholder, minutesPlaceholder } from '../relay/ledger/values.ts'
import type { IntentName } from '../relay/outcome/spent.ts'
import type { PaymentAnswer } from '../relay/pay/answers.ts'
import type { PreparedOrder } from '../relay/pay/paying-step.ts'
import { requestLifetimeSeconds } from '../relay/relayer.ts'
import { describeFault } from '../runtime/log.ts'
import { updateMemoryLater } from './memory-updates.ts'
import type { Intent, PaymentOrder } from './menu/node.ts'
import { payments } from './menu/payments.ts'
import { toShortAddress } from './messages/texts.ts'
import type { Recipient } from './recipient.ts'
import { writeRefusal } from './refusal-texts.ts'
import { endScreen, type Screen } from './screens/screen.ts'
import type { Services } from './services.ts'
import { readRecord, termsRecord } from './session/records.ts'
import { composeSms, nameReminderSubject, type SmsSeals } from './sms.ts'
import { deriveSessionIntent, joinAnswers, type Visit } from './visit.ts'

export type PaymentRequest = {
  intent: Intent
  /** Names the step of the last correct PIN; undefined if no PIN was asked for. */
  authorizedBy: string | undefined
  /** Names the question that was answered, unless a late answer pays too. */
  question?: { input: string; holdsMs: number } | undefined
  /** Creates the question that is asked first if an equal payment was made before. */
  createRepeatScreen?: ((minutes: number) => Screen) | undefined
}

/** Makes a payment, at most once per gateway and session, or asks whether to repeat one. */
export async function requestPayment(
  visit: Visit,
  { intent, authorizedBy, question, createRepeatScreen }: PaymentRequest,
): Promise<{ intentId: Hex; answer: PaymentAnswer }> {
  if (visit.services.pins !== undefined && authorizedBy === undefined) {
    throw new Error('a payment was requested without a correct PIN')
  }
  const name = await deriveSessionIntent(visit)
  const answer = await visit.services.pay({
    since: visit.since,
    answerCount: visit.answers.length,
    stepKey: await visit.stepKey(),
    intent: name,
    question,
    createOrder: () => prepareOrder(visit, intent, name),
    async findDenial() {
      const why = (await findDenial(visit, authorizedBy)) ?? (await findChange(visit, intent))
      return why && { kind: 'not_authorized', reason: why }
    },
    texts: {
      repeat: createRepeatScreen,
      paid: (paid) => writePaid(visit, { intent, intentId: name.intentId, paid }),
      refusal: (refusal) => endScreen(writeRefusal(visit, refusal, intent.kind)),
    },
  })
  if (answer.kind === 'screen' && answer.screen.kind === 'end') {
    await recordRecipient(visit, name.intentId, intent)
  }
  return { intentId: name.intentId, answer }
}

/** Returns the minutes since an equal payment of the account. */
export async function findEqualPayment(visit: Visit, intent: Intent): Promise<number | undefined> {
  const { call } = await createOrder(visit, intent)
  return await visit.services.ledger.recordEqualAge(await visit.stepKey(), {
    data: encodeCall(call),
  })
}

/** Creates the order of a payment; `shownTerms` are the terms that the caller agreed to. */
async function createOrder(
  visit: Visit,
  intent: Intent,
  shownTerms?: LoanTerms,
): Promise<PaymentOrder> {
  const { loan, minTransferWei } = visit.services
  const { address } = await visit.deriveAccount()
  const options = {
    loan,
    minTransferWei,
    readTerms: async () => shownTerms ?? (await loan.readTerms()),
    resolveAddress: (recipient: Recipient) => resolveAddress(visit, recipient),
    describeAddress: (recipient: Recipient) => describeRecipient(visit.services, recipient),
  }
  return await payments[intent.kind].createOrder(options, intent, address)
}

/** Creates and signs the order of a payment, with its screens and messages. */
async function prepareOrder(
  visit: Visit,
  intent: Intent,
  name: IntentName,
): Promise<PreparedOrder> {
  const { settings, ledger, forwarder, now } = visit.services
  const { messages, deriveStepKey, answers } = visit
  const { kind } = intent
  // The step before the last answer showed the terms to agree to.
  const termsStep = joinAnswers(answers.slice(0, -1))
  const shownTerms =
    kind === 'loan' && settings.confirms
      ? await readRecord(ledger, await deriveStepKey(termsStep), termsRecord)
      : undefined
  const order = await createOrder(visit, intent, shownTerms)
  const { call, spendsWei, reserves, amountWei, recipientName, till } = order
  const code = till === undefined ? '' : await derivePaymentCode(visit.services.keys, name.intentId)
  const amount = formatAmount(visit.services, amountWei)
  const { submitted } = payments[kind].words(messages)
  const writeSubmitted = (transaction: string) =>
    endScreen(submitted(amount, recipientName, transaction, code))
  const queued =
    settings.profile === 'demo' ? messages.queued : messages.queuedFor(minutesPlaceholder)
  const request = await signRequest(await visit.deriveAccount(), forwarder, {
    ...name,
    gas: getCallRules(kind).gas,
    deadline: Math.floor(now() / 1_000) + requestLifetimeSeconds,
    data: encodeCall(call),
  })
  return {
    order: {
      request,
      kind,
      spendsWei,
      reserves,
      attached: till && ({ till: { ...till, code } } satisfies Attachments),
      sms: await sealSms(visit, intent, order),
      reminder: kind === 'loan' ? await sealBorrower(visit) : undefined,
    },
    screens: {
      carried: writeSubmitted(formatHash(hashPlaceholder)),
      queued: writeSubmitted(queued),
    },
    // An account that is derived from a number, also a till's, has a key and never code.
    payee: intent.recipient?.kind === 'address' ? intent.recipient.address : undefined,
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
  const { data, hash } = paid
  const { recipient, reference } = intent
  const call = decodeCall(data)
  if (call === undefined) throw new Error('this version does not know an executed call')
  const isNamed =
    getCallKind(intent.kind) === call.kind &&
    (!('to' in call) ||
      (recipient !== undefined && isAddressEqual(await resolveAddress(visit, recipient), call.to)))
  const kind = isNamed ? intent.kind : call.kind
  const address = 'to' in call ? toShortAddress(checksumAddress(call.to, chainId)) : ''
  const name =
    isNamed && recipient !== undefined
      ? [describeRecipient(visit.services, recipient), reference].filter(Boolean).join(', ')
      : address
  const wei = call.kind === 'loan' ? call.principalWei : call.amountWei
  const code = await derivePaymentCode(keys, intentId)
  const { submitted } = payments[kind].words(visit.messages)
  return endScreen(submitted(formatAmount(visit.services, wei), name, formatHash(hash), code))
}

/** Derives the 6 digits that caller and agent compare. Only this service can compute them. */
export async function derivePaymentCode(
  keys: Pick<SessionKeys, 'hashInput'>,
  intentId: Hex,
): Promise<string> {
  const digest = await keys.hashInput('code', intentId)
  return `${Number.parseInt(digest.slice(-12), 16) % 1_000_000}`.padStart(6, '0')
}

/** Finds why a correct PIN no longer authorizes its session; undefined if it still does. */
export async function findDenial(
  { services: { pins }, deriveAccount }: Visit,
  authorizedBy: string | undefined,
) {
  if (pins === undefined || authorizedBy === undefined) return undefined
  const { address } = await deriveAccount()
  const authorization = await pins.readAuthorization(address, authorizedBy)
  return authorization === 'valid' ? undefined : authorization
}

/** Tells whether the wallet that is paid by its name has another address by now, or a new one. */
async function findChange(
  { services: { memory }, deriveAccount }: Visit,
  { recipient }: Intent,
): Promise<'wallet' | undefined> {
  if (recipient?.kind !== 'address' || recipient.name === undefined) return undefined
  const { name, address: paid } = recipient
  const { address } = await deriveAccount()
  const isPaid = await readWithTime(memory, address, (before, now) =>
    paysWallet(before, { name, address: paid }, now),
  )
  return isPaid ? undefined : 'wallet'
}

/** Encrypts the messages that are sent when the payment's outcome is final. */
async function sealSms(visit: Visit, intent: Intent, order: PaymentOrder): Promise<HeldSms[]> {
  const { smsSeals } = visit.services
  if (smsSeals === undefined) return []
  const session = await visit.deriveSessionDigest()
  const receiver = await findReceiverPhone(visit, smsSeals, findReceiver(intent))
  return Promise.all(
    composeSms(intent.kind, order, { caller: visit.phone, receiver }).map(
      async ({ party, facts }) => ({
        party,
        sealed: await smsSeals.sealFacts(facts, { session, party }),
      }),
    ),
  )
}

/** Encrypts the borrower's number for reminders, which the demonstration does not send. */
async function sealBorrower({ services, deriveAccount, phone }: Visit) {
  const { settings, smsSeals } = services
  if (settings.profile === 'demo') return undefined
  const { address } = await deriveAccount()
  return await smsSeals?.sealNumber(phone, nameReminderSubject(address))
}

type Receiver = Exclude<Recipient, { kind: 'address' }>

const findReceiver = ({ recipient }: Intent): Receiver | undefined =>
  recipient?.kind === 'address' ? undefined : recipient

/** Returns the recipient's phone number; undefined if only the address is known. */
async function findReceiverPhone(
  { services: { memory, log }, deriveAccount }: Visit,
  smsSeals: SmsSeals,
  receiver: Receiver | undefined,
): Promise<PhoneNumber | undefined> {
  if (receiver === undefined || receiver.kind === 'till') return undefined
  if (receiver.kind === 'phone') return receiver.phone
  try {
    const { address: sender } = await deriveAccount()
    const sealed = findSealedNumber(await memory.read(sender), receiver.address)
    return sealed === undefined ? undefined : await smsSeals.openNumber(sealed, sender)
  } catch (error) {
    // A payment goes on without the message to its recipient.
    log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
    return undefined
  }
}

/** Records recipient and sender for each other by short number, for activity and lists. */
async function recordRecipient(visit: Visit, intentId: Hex, intent: Intent): Promise<void> {
  const receiver = findReceiver(intent)
  if (visit.services.settings.profile === 'demo' || receiver === undefined) return
  const { address: sender } = await visit.deriveAccount()
  const to = shortenRecipient(receiver)
  const address = await resolveAddress(visit, receiver)
  const sealed =
    receiver.kind === 'phone'
      ? await visit.services.smsSeals?.sealNumber(receiver.phone, sender)
      : undefined
  const amountWei = typeof intent.amountWei === 'bigint' ? `${intent.amountWei}` : undefined
  if (receiver.kind === 'till') {
    const label = `${to} (${await derivePaymentCode(visit.services.keys, intentId)})`
    updateMemoryLater(visit.services, sender, (memory) =>
      recordRecipientName(memory, { intentId, address, to: label }),
    )
  } else {
    updateMemoryLater(visit.services, sender, (memory) =>
      recordPayment(memory, intentId, { to, address, sealed, amountWei }),
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

const describeRecipient = ({ chainId }: Services, recipient: Recipient) =>
  recipient.kind === 'address'
    ? (recipient.name ?? toShortAddress(checksumAddress(recipient.address, chainId)))
    : shortenRecipient(recipient)

const formatAmount = ({ showExactAmount }: Services, wei: bigint | 'all') =>
  wei === 'all' ? wei : showExactAmount(wei)

/** Shows the start of a transaction's hash, or the placeholder of one. */
const formatHash = (hash: string): string => `${hash.slice(0, hashPlaceholder.length)}...`

const shortenRecipient = (receiver: Receiver): string =>
  receiver.kind === 'phone' ? shortenPhone(receiver.phone) : receiver.label

const resolveAddress = async ({ accounts }: Visit, recipient: Recipient) =>
  recipient.kind === 'phone' ? (await accounts(recipient.phone)).address : recipient.address
