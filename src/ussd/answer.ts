import type { Address, Hex, LocalAccount } from 'viem'
import { showAddress } from '../account/address.ts'
import type { CallerAccounts } from '../account/keys.ts'
import type { Language } from '../account/language.ts'
import {
  type AccountMemory,
  hasDialled,
  languageIn,
  type Memory,
  sealedIn,
  withDialled,
  withLanguage,
  withoutDialTime,
  withSent,
} from '../account/memory.ts'
import { isOpened } from '../account/opened.ts'
import { isListed, type PhoneNumber, spelledPhone } from '../account/phone.ts'
import type { Authorization, Pins } from '../account/pin.ts'
import type { IntentKeys, SessionKeys } from '../account/session-keys.ts'
import { formatAmount, formatAmountDown } from '../loan/amounts.ts'
import { type LoanRefusal, refusalOf } from '../loan/calls.ts'
import { type PaymentKind, paymentKinds } from '../loan/kinds.ts'
import type { LoanReader } from '../loan/reader.ts'
import type { DepositClaim } from '../relay/claim-deposit.ts'
import { type Forwarder, intentIdOf } from '../relay/forwarder/requests.ts'
import type { HeldSms, Identified, Ledger, Question } from '../relay/ledger/port.ts'
import { answerOf, type PaymentAnswer } from '../relay/pay/answers.ts'
import type { ContractCall, Pay } from '../relay/pay/delivery.ts'
import type { EndSession } from '../relay/pay/end-session.ts'
import type { Refusal } from '../relay/refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import { askAt } from './ask.ts'
import { addressOf, createContractCalls, shortNumber } from './contract-calls.ts'
import type { MayDial } from './dial-rate.ts'
import type { Intent } from './intent.ts'
import {
  createMenu,
  type Menu,
  type MenuContext,
  type MenuSettings,
  type PinAction,
  repeatedAt,
} from './menu/nodes.ts'
import { answersOf, type Place, promptOf } from './menu/walk.ts'
import { messagesIn } from './messages/languages.ts'
import { longAddress, type Messages } from './messages/texts.ts'
import { refusedText } from './refused.ts'
import type { UssdRequest } from './request.ts'
import { end, goOn, type Screen } from './screens/screen.ts'
import { readSession } from './session.ts'
import { shownAt, shownTerms } from './shown.ts'
import { type SmsSeals, smsOf } from './sms.ts'

/** Answers one delivery with a screen. Never throws. */
export type Answer = (request: UssdRequest) => Promise<Answered>

/** `out_of_service`: nothing may be done, and the operator has to know. */
export type Answered = { kind: 'screen' | 'out_of_service'; screen: Screen }

export type AnswerOptions = {
  chainId: number
  /** What the chain's currency is called. */
  currency: string
  forwarder: Forwarder
  loanAddress: Address
  loan: LoanReader
  accounts: CallerAccounts
  keys: SessionKeys
  intentKeys: IntentKeys
  identity: () => Promise<Identified>
  ledger: Pick<Ledger, 'equal' | 'lookup' | 'payments' | 'show' | 'shown'>
  memory: Memory
  /** Undefined: no PIN is asked for. */
  pins: Pins | undefined
  /** Keeps work alive after the reply. */
  background: (work: Promise<unknown>) => void
  pay: Pay
  endSession: EndSession
  /** Undefined: no messages are sent. */
  smsSeals?: SmsSeals | undefined
  claimDeposit: (account: LocalAccount) => Promise<DepositClaim>
  mayDial: MayDial
  /** What a transfer has to be at least. */
  leastTransferWei: bigint
  /** What an amount is worth in the operator's local currency. Undefined: that is not known now. */
  worthOf: (wei: bigint) => Promise<string | undefined>
  /** Unix time in ms. */
  now: () => number
  sleep: Clock['sleep']
  settings: MenuSettings
  /** Where no other language was chosen. */
  say: Messages
  log: Log
}

/**
 * After this time a caller is answered, whatever store is waited for: payments and ends of sessions answer for
 * themselves before.
 */
const latestMs = 7_700

/** The USSD service: from what was typed to a screen, by way of the chain where it must. */
export function createAnswer(parts: AnswerOptions): Answer {
  return async (request) => {
    const done = new AbortController()
    let isPaying = false
    const pay: Pay = (payment) => {
      isPaying = true
      return parts.pay(payment)
    }
    const answering = createPatientAnswer({ ...parts, pay })(request)
    parts.background(answering)
    const late = parts.sleep(latestMs, done.signal).then(() => {
      const { uncertain, unavailable } = parts.say
      return screen(end(isPaying ? uncertain : unavailable))
    })
    try {
      return await Promise.race([answering, late])
    } finally {
      done.abort()
    }
  }
}

/** The same, however long what is asked takes. */
function createPatientAnswer(parts: AnswerOptions): Answer {
  const { log } = parts

  return async (request) => {
    const since = parts.now()
    let { say } = parts
    try {
      const identity = await parts.identity()
      if (identity.kind === 'different') {
        log({
          level: 'error',
          event: 'identity.different',
          message: `The ledger was begun with other values of: ${identity.names.join(', ')}`,
        })
        return { kind: 'out_of_service', screen: end(say.outOfService) }
      }
      const own = { ...parts, accounts: askOnce(parts.accounts) }
      if (!isListed(request.phone) && !(await isCustomer(own, request.phone))) {
        return await refuseUnlisted(own, request, since)
      }
      say = await wordsFor(own, request.phone)
      return await answerMenu({ ...own, say }, request, since)
    } catch (error) {
      // Payments answer for themselves; what fails here is a reading, or came before anything began.
      log({ level: 'error', event: 'answer.failed', message: faultOf(error) })
      return screen(end(say.unavailable))
    }
  }
}

/** Asks for the account of each phone once. */
function askOnce(accounts: CallerAccounts): CallerAccounts {
  const asked = new Map<PhoneNumber, Promise<LocalAccount>>()
  return async (phone) =>
    asked.get(phone) ?? (asked.set(phone, accounts(phone)).get(phone) as never)
}

/** Whoever has an account is served, whatever numbering plans say of the number by now. */
async function isCustomer(parts: AnswerOptions, phone: PhoneNumber): Promise<boolean> {
  const memory = parts.settings.profile === 'demo' ? undefined : parts.memory
  return isOpened((await parts.accounts(phone)).address, { ...parts, memory })
}

/** Opens no account for a number that no plan knows: it may be a form of another one, and nobody could send to it. */
async function refuseUnlisted(
  parts: AnswerOptions,
  request: UssdRequest,
  since: number,
): Promise<Answered> {
  const { address } = await parts.accounts(request.phone)
  // What was typed may have been a PIN.
  const question = await questionOf(parts, { ...request, text: '' }, address)
  const shown = end(parts.say.unlistedNumber)
  const message = 'A caller with no account was refused: no numbering plan knows the number'
  parts.log({ level: 'error', event: 'number.unlisted', message })
  const ended = { since, steps: 0, question, screen: shown, isUnlisted: true }
  return screen(screenOf(parts, await parts.endSession(ended)))
}

/** The words of a caller's screens: of the language that was chosen, while it is offered. */
async function wordsFor(parts: AnswerOptions, phone: PhoneNumber): Promise<Messages> {
  const { settings, say, accounts, memory } = parts
  if (settings.profile === 'demo') return say
  try {
    const { address } = await accounts(phone)
    const kept = await memory.read(address)
    if (!hasDialled(kept)) remember(parts, address, withDialled)
    if (parts.pins === undefined && kept.dialedAt !== undefined) {
      remember(parts, address, withoutDialTime)
    }
    const language = languageIn(kept)
    return language !== undefined && settings.languages.includes(language)
      ? messagesIn[language]
      : say
  } catch (error) {
    parts.log({ level: 'warn', event: 'memory.failed', message: faultOf(error) })
    return say
  }
}

/** Keeps something of a caller, after the reply if need be. Where that fails, screens say less. */
function remember(
  { memory, background, log }: AnswerOptions,
  account: Address,
  change: (kept: AccountMemory) => AccountMemory | undefined,
): void {
  const remembering = memory
    .change(account, change)
    .catch((error) => log({ level: 'warn', event: 'memory.failed', message: faultOf(error) }))
  background(remembering)
}

async function answerMenu(
  parts: AnswerOptions,
  delivery: UssdRequest,
  since: number,
): Promise<Answered> {
  const { loan, accounts, say } = parts
  const answers = answersOf(delivery.text)
  const context = contextOf(parts, delivery.phone)
  const account = async () => (await accounts(delivery.phone)).address
  const question = (own: Address, text: string) => questionOf(parts, { ...delivery, text }, own)
  const isKnown = (phone: PhoneNumber) => isCustomer(parts, phone)
  const session = { ...parts, context, question, account, isCustomer: isKnown }
  const { result, text, authorizedBy } = await readSession(session, answers)
  const delivered = { since, steps: answers.length, authorizedBy }
  // From here on nothing that is secret is known but what is to be set.
  const request = { ...delivery, text }
  if (result.kind === 'ask' || result.kind === 'balance') {
    const denied = await denialOf(parts, await account(), authorizedBy)
    if (denied !== undefined)
      return endFor(parts, request, delivered, end(deniedText(parts, denied)))
  }
  switch (result.kind) {
    case 'ask': {
      const asked = (own: Address, step = text) => question(own, step)
      const sinceEqual = async (place: Place) =>
        (await minutesSinceEqual(parts, request, repeatedAt(place))) ?? 0
      const asking = { ...session, question: asked, minutesSinceEqual: sinceEqual }
      const shown = await askAt(asking, result.place)
      // What an answer to it would have led to is not to be had any more.
      return shown.kind === 'end' ? endFor(parts, request, delivered, shown) : screen(shown)
    }
    case 'locked':
      return endFor(parts, request, delivered, end(say.pin.locked[result.why]))
    case 'choosePin':
    case 'changePin':
    case 'forgetPin':
      return changePinFor(parts, request, delivered, result)
    case 'gave_up':
      return endFor(parts, request, delivered, end(say.tooManyMistakes))
    case 'too_long':
      return endFor(parts, request, delivered, end(say.tooLong))
    case 'past_the_end':
      return endFor(parts, request, delivered, end(say.sessionClosed))
    case 'balance': {
      const { address } = await accounts(request.phone)
      const asked = await question(address, text)
      if (!parts.mayDial(asked)) return screen(end(say.tooManyDials))
      const balance = await loan.balance(address)
      return screen(end(say.balance(amountText(parts, balance))))
    }
    case 'claim':
      return screen(await claimFor(parts, request))
    case 'language':
      return screen(await chooseLanguage(parts, request, result.language))
    case 'help':
      return screen(end(say.help(parts.settings.helpNumber ?? '')))
    case 'transfer':
    case 'loan':
    case 'repayment':
    case 'cashOut':
      return payFor(parts, request, delivered, result)
  }
}

function contextOf(parts: AnswerOptions, caller: PhoneNumber): MenuContext {
  const { chainId, forwarder, loanAddress, say, leastTransferWei: leastWei, currency } = parts
  return {
    ...{ chainId, caller, say, menu: menuOf(parts.settings) },
    hasLanguages: parts.settings.languages.length > 1,
    known: parts.settings.profile === 'demo' ? [] : undefined,
    reserved: [forwarder.address, loanAddress],
    amountOf: (wei) => amountText(parts, wei),
    recipientOf: (recipient) => {
      switch (recipient.kind) {
        case 'phone':
          return spelledPhone(recipient.phone)
        case 'known':
          return recipient.label
        case 'address':
          return longAddress(showAddress(recipient.address, chainId))
      }
    },
    // Exact: what is less than it is refused.
    least: { wei: leastWei, text: `${formatAmount(leastWei)} ${currency}` },
  }
}

/** When a delivery came (Unix time in ms), how many answers its caller had given, and the step of the last right PIN. */
export type Delivered = { since: number; steps: number; authorizedBy: string | undefined }

type Denial = Exclude<Authorization, 'valid'>

/** Why the PIN of a session lets it do nothing now; undefined where it does, and where none was asked for. */
async function denialOf(
  { pins }: AnswerOptions,
  account: Address,
  step: string | undefined,
): Promise<Denial | undefined> {
  if (pins === undefined || step === undefined) return undefined
  const found = await pins.authorize(account, step)
  return found === 'valid' ? undefined : found
}

const deniedText = ({ say }: AnswerOptions, denied: Denial): string =>
  denied === 'void' ? say.sessionClosed : say.pin.locked[denied]

async function payFor(
  parts: AnswerOptions,
  request: UssdRequest,
  delivered: Delivered,
  intent: Intent,
): Promise<Answered> {
  const askOfEqual = questionOfEqual(parts, request, intent)
  const minutes = askOfEqual && (await minutesSinceEqual(parts, request, intent))
  if (askOfEqual && minutes !== undefined) return screen(askOfEqual(minutes))
  const paid = await carryOut(parts, request, delivered, intent, askOfEqual)
  const { intentId, account, answered } = paid
  if (answered.kind === 'screen' && answered.screen.kind === 'end') {
    await rememberRecipient(parts, account, intentId, intent)
  }
  return screen(screenOf(parts, answered, intent))
}

/**
 * The question whether an equal payment of a moment ago is meant once more; undefined where it is not to be
 * asked. What one delivery found is found by each one, however late it comes: a question is not paid
 * without its answer.
 */
function questionOfEqual(
  parts: AnswerOptions,
  { phone }: UssdRequest,
  intent: Intent,
): ((earlierMinutes: number) => Screen) | undefined {
  const isSent = intent.kind === 'transfer' || intent.kind === 'cashOut'
  if (!parts.settings.confirms || !isSent || intent.isRepeat) return undefined
  const { amountWei } = intent
  // What "all" comes to changes with each payment: it is never the same twice.
  if (amountWei === 'all') return undefined
  const place: Place =
    intent.kind === 'transfer'
      ? { name: 'repeat', draft: { recipient: intent.recipient, amountWei }, page: 0 }
      : {
          ...{ name: 'repeatCashOut', page: 0 },
          draft: { recipient: { kind: 'address', address: intent.to }, amountWei },
        }
  return (earlierMinutes) => goOn(promptOf(place, contextOf(parts, phone), { earlierMinutes }))
}

/** Looked at before the chain is: that the money has gone already is not told as a balance that is too low. */
async function minutesSinceEqual(parts: AnswerOptions, request: UssdRequest, intent: Intent) {
  const { address } = await parts.accounts(request.phone)
  const { data } = await contractCallOf(parts, intent, address)
  return await parts.ledger.equal(await questionOf(parts, request, address), { data })
}

const contractCallOf = (parts: AnswerOptions, intent: Intent, account: Address) =>
  createContractCalls({ ...parts, amountOf: (wei) => amountText(parts, wei) })(intent, account)

/** Carries out what a caller wants, at most once for its gateway and session. */
export async function carryOut(
  parts: AnswerOptions,
  request: UssdRequest,
  delivered: Delivered,
  intent: Intent,
  askOfEqual?: (minutes: number) => Screen,
): Promise<{ intentId: Hex; account: Address; answered: PaymentAnswer }> {
  const { forwarder, intentKeys, accounts, pay } = parts
  const caller = await accounts(request.phone)
  const intentId = intentIdOf(
    forwarder,
    await intentKeys(request.gateway, request.sessionId, caller.address),
  )
  const question = await questionOf(parts, request, caller.address)
  const { authorizedBy, ...times } = delivered
  if (parts.pins !== undefined && authorizedBy === undefined) throw new Error('no PIN was right')
  const answered = await pay({
    ...{ ...times, question, intentId, caller, askOfEqual },
    async denied() {
      const why = await denialOf(parts, caller.address, authorizedBy)
      return why && { kind: 'not_authorized', why }
    },
    async call() {
      const shown = await asShown(parts, request, intent, caller.address)
      const call = await contractCallOf(parts, shown, caller.address)
      return { ...call, sms: await sealedSms(parts, request, intent, call, question) }
    },
    refused: (refusal) => end(refusalText(parts, refusal, intent.kind)),
  })
  return { intentId, account: caller.address, answered }
}

/** Keeps a language for the caller, and says so in it. */
async function chooseLanguage(
  { accounts, keys, memory }: AnswerOptions,
  { gateway, sessionId, phone }: UssdRequest,
  language: Language,
): Promise<Screen> {
  const { address } = await accounts(phone)
  const session = await keys.session(gateway, sessionId, address)
  await memory.change(address, (kept) => withLanguage(kept, language, session))
  return end(messagesIn[language].languageChosen)
}

/** A loan is of the amount that the screen before showed: that is what was agreed to. */
async function asShown(
  parts: AnswerOptions,
  request: UssdRequest,
  intent: Intent,
  account: Address,
): Promise<Intent> {
  if (intent.kind !== 'loan' || !parts.settings.confirms) return intent
  const text = answersOf(request.text).slice(0, -1).join('*')
  const before = await questionOf(parts, { ...request, text }, account)
  const terms = await shownAt(parts.ledger, before, shownTerms)
  return { ...intent, terms }
}

/** Changes the PIN in a session that is undecided. One that was told what came of it changes nothing any more. */
async function changePinFor(
  parts: AnswerOptions,
  request: UssdRequest,
  delivered: Delivered,
  action: PinAction,
): Promise<Answered> {
  const { address } = await parts.accounts(request.phone)
  const view = await parts.ledger.lookup(await questionOf(parts, request, address))
  if (view.kind !== 'undecided' && view.kind !== 'pending') {
    return screen(screenOf(parts, answerOf(view)))
  }
  return endFor(parts, request, delivered, await changePin(parts, request, delivered, action))
}

/** Does what the caller asks of the PIN, once a session. */
async function changePin(
  { accounts, keys, pins, say }: AnswerOptions,
  { gateway, sessionId, phone }: UssdRequest,
  { authorizedBy }: Delivered,
  action: PinAction,
): Promise<Screen> {
  if (pins === undefined) throw new Error('there are no PINs')
  const { address } = await accounts(phone)
  const session = await keys.session(gateway, sessionId, address)
  const change = async () => {
    switch (action.kind) {
      case 'forgetPin':
        return pins.forget(address, session)
      case 'choosePin':
        return pins.choose(address, action.pin, session)
      case 'changePin':
        if (authorizedBy === undefined) throw new Error('no PIN was right')
        return pins.change(address, action.pin, session, authorizedBy)
    }
  }
  switch (await change()) {
    case 'done':
      return end(action.kind === 'forgetPin' ? say.pin.requested : say.pin.chosen)
    case 'kept':
      return end(say.pin.kept)
    case 'dormant':
      return end(say.pin.locked.dormant)
  }
}

/** Messages that are sent once the outcome is final. Until then no one can read to whom. */
async function sealedSms(
  parts: AnswerOptions,
  { phone: caller }: UssdRequest,
  intent: Intent,
  call: ContractCall,
  { session, account }: Question,
): Promise<HeldSms[]> {
  const { smsSeals, chainId } = parts
  if (smsSeals === undefined) return []
  const receiver = await receiverOf(parts, smsSeals, intent, account)
  return Promise.all(
    smsOf(intent, { caller, receiver }, call, chainId).map(async ({ party, facts }) => ({
      ...{ party, sealed: await smsSeals.facts(facts, { session, party }) },
    })),
  )
}

/** The phone of who gets the money. Undefined: it has none, or none is known. */
async function receiverOf(
  { memory, log }: AnswerOptions,
  smsSeals: SmsSeals,
  intent: Intent,
  sender: Address,
): Promise<PhoneNumber | undefined> {
  if (intent.kind !== 'transfer' || intent.recipient.kind === 'address') return undefined
  const { recipient } = intent
  if (recipient.kind === 'phone') return recipient.phone
  try {
    const sealed = sealedIn(await memory.read(sender), recipient.address)
    return sealed === undefined ? undefined : await smsSeals.open(sealed, sender)
  } catch (error) {
    // A payment waits for no message.
    log({ level: 'warn', event: 'memory.failed', message: faultOf(error) })
    return undefined
  }
}

/** An address says nothing to who typed a number: what the screen said of it is kept for the activity. */
async function rememberRecipient(
  parts: AnswerOptions,
  account: Address,
  intentId: Hex,
  intent: Intent,
): Promise<void> {
  if (parts.settings.profile === 'demo') return
  if (intent.kind !== 'transfer' || intent.recipient.kind === 'address') return
  const { recipient } = intent
  const to = shortNumber(recipient)
  const address = await addressOf(recipient, parts.accounts)
  const sealed =
    recipient.kind === 'phone' ? await parts.smsSeals?.number(recipient.phone, account) : undefined
  remember(parts, account, (kept) => withSent(kept, intentId, { to, address, sealed }))
}

/** Brings in what was sent to the account's own address. Asked twice it does no more than once. */
async function claimFor(parts: AnswerOptions, request: UssdRequest): Promise<Screen> {
  const { say } = parts
  const account = await parts.accounts(request.phone)
  const question = await questionOf(parts, request, account.address)
  if (!parts.mayDial(question)) return end(say.tooManyDials)
  const format = (wei: bigint) => amountText(parts, wei)
  const claim = await parts.claimDeposit(account)
  switch (claim.kind) {
    case 'sent': {
      const tx = `${claim.hash.slice(0, 12)}...`
      return end(
        claim.isTaken ? say.claimed.sent(format(claim.amountWei), tx) : say.claimed.unknown,
      )
    }
    case 'under_way':
      return end(say.claimed.underWay)
    case 'too_little': {
      const { thereWei, gasWei, last } = claim
      // What a deposit leaves of its gas stays at the address: it is nothing new.
      if (last !== undefined) return end(say.claimed.nothingSince(format(last.amountWei)))
      if (thereWei === 0n) return end(say.claimed.nothing)
      return end(say.claimed.tooLittle(format(thereWei), format(gasWei)))
    }
    case 'price_too_high':
      return end(say.feesTooHigh)
    case 'paused':
      return end(say.paused)
    case 'refused':
      return end(say.unavailable)
  }
}

/** An end after which nothing of the session may be paid: the ledger has it before it is shown. */
async function endFor(
  parts: AnswerOptions,
  request: UssdRequest,
  delivered: Delivered,
  shown: Screen,
): Promise<Answered> {
  const { address } = await parts.accounts(request.phone)
  const question = await questionOf(parts, request, address)
  const answered = await parts.endSession({ ...delivered, question, screen: shown })
  return screen(screenOf(parts, answered))
}

async function questionOf(
  { keys }: AnswerOptions,
  { gateway, sessionId, text }: UssdRequest,
  account: Address,
): Promise<Question> {
  const session = await keys.session(gateway, sessionId, account)
  return { session, input: await keys.input(session, text), account }
}

function refusalText(parts: AnswerOptions, refusal: Refusal, payment: PaymentKind): string {
  const { say } = parts
  const refused = (why: LoanRefusal) =>
    refusedText(say.refused, why, (wei) => amountText(parts, wei), payment)
  switch (refusal.kind) {
    case 'would_revert':
      return refused(refusalOf(refusal.revertData))
    case 'unavailable':
    case 'no_answer':
    case 'contracts':
    case 'clock':
      return say.nothingWasSent
    case 'none_left':
      return refused(
        paymentKinds[payment].takes === 'withdrawals'
          ? { reason: 'withdrawal_limit', leftWei: undefined }
          : { reason: 'no_liquidity' },
      )
    case 'not_authorized':
      return deniedText(parts, refusal.why)
    case 'too_many_dials':
      return say.tooManyDials
    case 'too_many_open':
      return say.tooManyOpen(refusal.most)
    case 'too_many_today':
      return say.tooManyToday(refusal.most)
    case 'too_much_today':
      return say.tooMuchToday(amountText(parts, refusal.leftWei))
    case 'crowded':
      return say.tooManyWait(refusal.minutes)
    case 'price_too_high':
      return say.feesTooHigh
    case 'relayer_poor':
      return say.cannotPayFees
    case 'paused':
      return say.paused
  }
}

function screenOf({ say }: AnswerOptions, answered: PaymentAnswer, intent?: Intent): Screen {
  switch (answered.kind) {
    case 'screen':
      return answered.screen
    case 'failed':
      // Without an intent the question is an end, which pays nothing that could fail.
      return end(intent === undefined ? say.sessionEnded : say.failed[intent.kind])
    case 'ended':
      return end(say.sessionEnded)
    case 'closed':
      return end(say.sessionClosed)
    case 'unsent':
    case 'uncertain':
      return end(say[answered.kind])
  }
}

const menus = new WeakMap<MenuSettings, Menu>()

/** The menu of these settings, made once. */
function menuOf(settings: MenuSettings): Menu {
  const menu = menus.get(settings) ?? createMenu(settings)
  menus.set(settings, menu)
  return menu
}

/** An amount as screens show it. */
function amountText({ currency }: AnswerOptions, wei: bigint): string {
  return `${formatAmountDown(wei)} ${currency}`
}

const screen = (shown: Screen): Answered => ({ kind: 'screen', screen: shown })
