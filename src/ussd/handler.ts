import { type Address, checksumAddress, formatEther } from 'viem'
import { hasActivity } from '../account/activity.ts'
import type { CallerAccounts } from '../account/caller-accounts.ts'
import type { Language } from '../account/language.ts'
import { findLanguage, recordDial, recordLanguage, removeDialTime } from '../account/memory.ts'
import { isListed, type PhoneNumber, spellPhone } from '../account/phone.ts'
import type { Seal } from '../account/seal.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import { createWalletCodes } from '../account/wallets.ts'
import { formatWorth } from '../loan/local-worth.ts'
import type { Identified } from '../relay/ledger/records/identity.ts'
import type { Ledger } from '../relay/ledger/steps.ts'
import { type PaymentAnswer, toAnswer } from '../relay/pay/answers.ts'
import type { Pay } from '../relay/pay/delivery.ts'
import type { EndSession } from '../relay/pay/end-session.ts'
import type { Clock } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import { withTimeLimit } from '../runtime/time-limit.ts'
import { changePin, changeWallet, payOutCash } from './account-changes.ts'
import { type ClaimScreenOptions, showDepositClaim } from './deposit-claim.ts'
import type { NumberedStep, UssdRequest } from './gateways/gateway.ts'
import type { SessionView } from './known-refusal.ts'
import { updateMemoryLater } from './memory-updates.ts'
import { activity, describePayments, writeActivityLine } from './menu/entries/activity.ts'
import { balance } from './menu/entries/balance.ts'
import { help } from './menu/entries/help.ts'
import { receive } from './menu/entries/receive.ts'
import { createMenu } from './menu/main-menu.ts'
import {
  type Intent,
  isPaymentKind,
  leadsToPayment,
  type Menu,
  type MenuContext,
} from './menu/node.ts'
import { type Place, writePrompt } from './menu/walk.ts'
import { messagesIn, selectMessages } from './messages/languages.ts'
import { toLongAddress, toShortAddress } from './messages/texts.ts'
import {
  deriveSessionIntent,
  findDenial,
  type PaymentRequest,
  requestPayment,
} from './payment-request.ts'
import { type PlaceScreenOptions, readFinalBalance, showPlace } from './place-screen.ts'
import { toScreen, writeDenial } from './refusal-texts.ts'
import { createRequestContext, joinAnswers, type RequestContext } from './request-context.ts'
import { type AmountFormats, createAmountFormats } from './screens/amount-formats.ts'
import { askScreen, endScreen, type Screen } from './screens/screen.ts'
import { readAnswers, readSession, type SessionReading, storeAnswers } from './session.ts'
import { askedRecord, readSessionRate, recordIfAbsent } from './session-records.ts'

/** Answers one delivery with a screen. Never throws. */
export type UssdHandler = (request: UssdRequest) => Promise<UssdReply>

/** Replies with a screen; `out_of_service` if the deployment must not serve anyone as it is. */
export type UssdReply = { kind: 'screen' | 'out_of_service'; screen: Screen }

export type UssdHandlerOptions = Omit<
  PlaceScreenOptions & ClaimScreenOptions,
  keyof AmountFormats
> & {
  currency: string
  loanAddress: Address
  accounts: CallerAccounts
  keys: SessionKeys
  identity: () => Promise<Identified>
  ledger: Pick<
    Ledger,
    'lookup' | 'findTill' | 'findPayment' | 'traceSession' | 'recordWalletChange' | 'payOut'
  >
  endSession: EndSession
  /** Encrypts the stored answers of a session, for gateways that send only the last answer. */
  textSeal: Seal
  sleep: Clock['sleep']
}

/** Limits the time of a reply, even if a store does not answer. */
const replyLimitMs = 7_700

/** Creates the handler of all deliveries, whatever the gateway. */
export function createUssdHandler(options: UssdHandlerOptions): UssdHandler {
  const menu = createMenu(options.settings)
  const formats = createAmountFormats(options.currency, options.settings)
  return async (request) => {
    const messages = selectMessages(options.settings)
    let lateText = messages.unavailable
    const pay: Pay = (payment) => {
      lateText = messages.uncertain
      return options.pay(payment)
    }
    const claimDeposit: ClaimScreenOptions['claimDeposit'] = (account) => {
      lateText = receive.words(messages).claimed.unknown
      return options.claimDeposit(account)
    }
    const reply = handleDelivery({ ...options, ...formats, menu, pay, claimDeposit }, request)
    options.waitUntil(reply)
    return await withTimeLimit(options, replyLimitMs, reply, () => toReply(endScreen(lateText)))
  }
}

type HandlerDeps = UssdHandlerOptions & AmountFormats & { menu: Menu }

type HandlerContext = HandlerDeps & RequestContext

async function handleDelivery(deps: HandlerDeps, request: UssdRequest): Promise<UssdReply> {
  const { log } = deps
  let context: HandlerContext = { ...deps, ...createRequestContext(deps, request, deps.now()) }
  try {
    const identified = await context.identity()
    if (identified.kind === 'different') {
      log({
        level: 'error',
        event: 'identity.different',
        message: `The ledger was begun with other values of: ${identified.names.join(', ')}`,
      })
      return { kind: 'out_of_service', screen: endScreen(context.messages.outOfService) }
    }
    if (!isListed(context.phone) && !(await hasAccount(context, context.phone))) {
      const message = 'A caller with no account was refused: no numbering plan knows the number'
      log({ level: 'error', event: 'number.unlisted', message })
      // A PIN may be among the answers, so they are left out. The number may be another form of a
      // known number, so no account is opened.
      const screen = endScreen(context.messages.unlistedNumber)
      return toReply(await endSessionWith(context, [], screen, 'unlisted'))
    }
    context = {
      ...context,
      messages: selectMessages(context.settings, await readLanguage(context)),
    }
    const answers = await readAnswers(context, request)
    if (answers === undefined) {
      // An earlier answer is missing or late, so the last answer has no known meaning.
      const screen = endScreen(context.messages.sessionClosed)
      return toReply(await endSessionWith(context, [], screen, 'lost'))
    }
    return toReply(await processAnswers(context, answers, request.step))
  } catch (error) {
    // Payments handle their own failures, so this one came while reading, and nothing was sent.
    log({ level: 'error', event: 'answer.failed', message: describeFault(error) })
    return toReply(endScreen(context.messages.unavailable))
  }
}

/** Tells whether a number has an account, which is served even if no numbering plan lists it. */
async function hasAccount(context: HandlerContext, phone: PhoneNumber): Promise<boolean> {
  const memory = context.settings.profile === 'demo' ? undefined : context.memory
  return await hasActivity((await context.accounts(phone)).address, { ...context, memory })
}

/** Reads the caller's language, and records the dial. */
async function readLanguage(context: HandlerContext): Promise<Language | undefined> {
  if (context.settings.profile === 'demo') return undefined
  try {
    const { address } = await context.deriveAccount()
    const memory = await context.memory.read(address)
    if (!memory.hasDialled) updateMemoryLater(context, address, recordDial)
    if (context.pins === undefined && memory.dialedAt !== undefined) {
      updateMemoryLater(context, address, removeDialTime)
    }
    return findLanguage(memory)
  } catch (error) {
    context.log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
    return undefined
  }
}

/** Follows and stores a delivery's answers, and does what they ask for. */
async function processAnswers(
  context: HandlerContext,
  typedAnswers: readonly string[],
  step?: NumberedStep,
): Promise<Screen> {
  const { messages } = context
  const menuContext = await createMenuContext(context)
  const session = await readSession(
    {
      ...context,
      menuContext,
      hasAccount: (phone) => hasAccount(context, phone),
      walletCodes: createWalletCodes(context),
      storesAnswers: step !== undefined,
      holdsQuestions: context.settings.profile !== 'demo',
    },
    typedAnswers,
  )
  // A new PIN in `result` is the only secret from here on.
  const { result, answers, storedAnswers, authorizedBy } = session
  if (step !== undefined) {
    const stored = await storeAnswers(context, step, storedAnswers)
    // Another delivery stored different answers, or the session is over and must not ask again.
    if (stored === 'conflict' || (stored === 'session_ended' && result.kind === 'ask')) {
      return endSessionWith(context, answers, endScreen(messages.sessionClosed), 'lost')
    }
  }
  if (result.kind === 'ask' || result.kind === 'balance') {
    const denial = await findDenial(context, authorizedBy)
    if (denial !== undefined) {
      return endSessionWith(context, answers, endScreen(writeDenial(context, denial)), denial)
    }
  }
  // A session that has paid is over. The demonstration shows its screens all the same.
  const view = mustLookUp(context, session) ? await lookUpSession(context, answers) : undefined
  if (view?.kind === 'ended') return endScreen(messages.sessionEnded)
  return performResult(context, menuContext, session, view)
}

/** Tells whether a lender's session has to be looked up, because this delivery does not pay. */
const mustLookUp = ({ settings }: HandlerContext, { result }: SessionReading): boolean =>
  settings.profile !== 'demo' && !isPaymentKind(result.kind)

const lookUpSession = async (
  { ledger, deriveStepKey }: HandlerContext,
  answers: readonly string[],
) => ledger.lookup(await deriveStepKey(joinAnswers(answers)))

/** Shows what the answers lead to: the next question, or the end of the session. May pay. */
async function performResult(
  context: HandlerContext,
  menuContext: MenuContext,
  session: SessionReading,
  view: SessionView | undefined,
): Promise<Screen> {
  const { messages } = context
  const { result, answers, authorizedBy } = session
  const endWithText = (text: string, reason: string) =>
    endSessionWith(context, answers, endScreen(text), reason)
  switch (result.kind) {
    case 'ask':
      return askQuestion({ ...context, menuContext }, session, result.place, view)
    case 'locked':
      return endWithText(writeDenial(context, result.reason), result.reason)
    case 'choosePin':
    case 'changePin':
    case 'forgetPin':
      return endOnce(context, session, () => changePin(context, result, authorizedBy))
    case 'addWallet':
    case 'cancelWallet': {
      const walletContext = { ...context, ...menuContext, walletCodes: createWalletCodes(context) }
      return endOnce(context, session, () => changeWallet(walletContext, result, authorizedBy))
    }
    case 'payOut':
      return endOnce(context, session, () => payOutCash(context, result, authorizedBy))
    case 'gave_up':
      return endWithText(messages.tooManyMistakes, result.kind)
    case 'too_long':
      return endWithText(messages.tooLong, result.kind)
    case 'past_the_end':
      return endWithText(messages.sessionClosed, result.kind)
    case 'balance':
    case 'claim': {
      const stepKey = await context.deriveStepKey(joinAnswers(answers))
      if (!context.mayDial(stepKey)) return endScreen(messages.tooManyDials)
      if (result.kind === 'claim') return showDepositClaim(context)
      return showBalance(context, await readFinalBalance(context, stepKey.account))
    }
    case 'language':
      return chooseLanguage(context, result.language)
    case 'help':
      return endScreen(help.words(messages).help(context.settings.helpNumber ?? ''))
    // Every other result is a payment.
    default:
      return makePayment({ ...context, menuContext }, session, result)
  }
}

type PlaceContext = HandlerContext & { menuContext: MenuContext }

/** Asks a question. The ledger records when, if the answer may pay and holds for a time only. */
async function askQuestion(
  context: PlaceContext,
  session: SessionReading,
  place: Place,
  view?: SessionView,
): Promise<Screen> {
  const { menu, settings, messages, ledger } = context
  const { answers, hasAnswersBeforePin } = session
  const { screen, reason } = await showPlace(context, place, answers, view)
  if (screen.kind === 'end') return endSessionWith(context, answers, screen, reason)
  if (settings.profile === 'demo') return screen
  if (!hasAnswersBeforePin && !leadsToPayment(menu, place.name)) return screen
  const stepKey = await context.deriveStepKey(nameQuestion(session, answers))
  const isAsked = await recordIfAbsent(ledger, stepKey, askedRecord, true)
  if (isAsked) return screen
  return endSessionWith(context, answers, endScreen(messages.sessionClosed))
}

/** Names a question's step; until a new PIN is chosen, answers before it have no meaning yet. */
const nameQuestion = ({ hasAnswersBeforePin }: SessionReading, answers: readonly string[]) =>
  hasAnswersBeforePin ? `new PIN ${answers.length}` : joinAnswers(answers)

async function makePayment(
  context: PlaceContext,
  session: SessionReading,
  intent: Intent,
): Promise<Screen> {
  const { messages, menuContext, settings } = context
  const { answers, authorizedBy, repeatPlace, latePlace } = session
  const { input } = await context.deriveStepKey(nameQuestion(session, answers.slice(0, -1)))
  const holdsMs = settings.sessionSeconds * 1_000
  const { answer } = await requestPayment(context, {
    intent,
    answers,
    authorizedBy,
    question: settings.profile === 'demo' ? undefined : { input, holdsMs },
    createRepeatScreen: await prepareRepeatScreen(context, menuContext, repeatPlace),
  })
  if (answer.kind === 'screen') return tellAnswer(context, answer)
  if (answer.kind !== 'late') return toScreen(messages, answer, intent.kind)
  if (latePlace !== undefined) return askQuestion(context, session, latePlace)
  return endSessionWith(context, answers, endScreen(messages.sessionClosed), answer.kind)
}

/**
 * Shows a session's answer. If it is older than a redelivery can be, the session id came back: it
 * tells what the session paid, because nothing was sent for this dial.
 */
async function tellAnswer(
  context: HandlerContext,
  { screen, ageMs = 0 }: Extract<PaymentAnswer, { kind: 'screen' }>,
): Promise<Screen> {
  const { settings, messages, ledger, memory, chainId, showAmount } = context
  if (settings.profile === 'demo' || ageMs <= settings.redeliverySeconds * 1_000) return screen
  const { session, account } = await context.deriveStepKey('')
  const payment = await ledger.findPayment(session)
  if (payment === undefined) {
    const state = (await ledger.traceSession(session))?.state
    return endScreen(state === 'refused' ? messages.sessionClosed : messages.sessionEnded)
  }
  const [activity] = describePayments([payment], await memory.read(account), chainId)
  if (activity === undefined) return endScreen(messages.sessionEnded)
  const line = writeActivityLine(messages, activity, showAmount)
  return endScreen(messages.paidBefore(line, messages.age(Math.floor(ageMs / 60_000))))
}

/** Returns a function that writes the question whether to make an equal payment again. */
async function prepareRepeatScreen(
  context: HandlerContext,
  menuContext: MenuContext,
  repeatPlace: Place | undefined,
): Promise<PaymentRequest['createRepeatScreen']> {
  // The whole balance is a different amount each time.
  if (repeatPlace === undefined || repeatPlace.draft.amountWei === 'all') return undefined
  const hasLocalCurrency = context.settings.localCurrency !== undefined
  const rate = hasLocalCurrency ? await readSessionRate(context) : 'none'
  return (earlierMinutes) =>
    askScreen(writePrompt(repeatPlace, menuContext, { earlierMinutes, rate }))
}

/** Shows a balance at the current exchange rate, because no payment depends on it. */
async function showBalance(
  { messages, settings, rate: readRate, showAmount }: HandlerContext,
  { finalWei, arrivingWei }: Awaited<ReturnType<typeof readFinalBalance>>,
): Promise<Screen> {
  const { localCurrency } = settings
  const rate = localCurrency === undefined ? undefined : await readRate()
  const worth = rate && formatWorth(finalWei, rate)
  const worthLine =
    worth === undefined ? localCurrency && messages.noRate(localCurrency) : messages.about(worth)
  const { arriving } = activity.words(messages)
  const arrivingLine = arrivingWei > 0n && `(${arriving}: ${showAmount(arrivingWei)})`
  const lines = [balance.words(messages).balance(showAmount(finalWei)), worthLine, arrivingLine]
  return endScreen(lines.filter(Boolean).join('\n'))
}

async function createMenuContext(context: HandlerContext): Promise<MenuContext> {
  const { chainId, settings, minTransferWei, messages, phone, menu } = context
  const { showAmount, showExactAmount, currency } = context
  return {
    chainId,
    caller: phone,
    ownAccount: settings.profile === 'demo' ? undefined : (await context.deriveAccount()).address,
    messages,
    menu,
    showAmount,
    showExactAmount,
    currency,
    rate: settings.localCurrency === undefined ? 'none' : undefined,
    hasLanguages: settings.languages.length > 1,
    knownRecipients: settings.profile === 'demo' ? [] : undefined,
    wallets: undefined,
    reserved: [context.forwarder.address, context.loanAddress],
    describeRecipient: (recipient) => {
      if (recipient.kind === 'phone') return spellPhone(recipient.phone)
      if (recipient.kind !== 'address') return recipient.label
      const address = checksumAddress(recipient.address, chainId)
      const { name } = recipient
      return name ? `${name} ${toShortAddress(address)}` : toLongAddress(address)
    },
    // Not rounded, because a smaller amount is refused.
    minTransfer: { wei: minTransferWei, text: `${formatEther(minTransferWei)} ${currency}` },
  }
}

async function chooseLanguage(context: HandlerContext, language: Language): Promise<Screen> {
  const { address } = await context.deriveAccount()
  const session = await context.deriveSessionDigest()
  await context.memory.change(address, (memory) => recordLanguage(memory, language, session))
  return endScreen(messagesIn[language].languageChosen)
}

/** Does what ends a session without a payment, unless the session has ended before. */
async function endOnce(
  context: HandlerContext,
  { answers }: SessionReading,
  act: () => Promise<Screen>,
): Promise<Screen> {
  const view = await lookUpSession(context, answers)
  if (view.kind !== 'undecided') {
    return toScreen(context.messages, toAnswer(view))
  }
  return endSessionWith(context, answers, await act())
}

/** Ends a session without a payment; the ledger records the end before the screen is shown. */
async function endSessionWith(
  context: HandlerContext,
  answers: readonly string[],
  screen: Screen,
  reason?: string,
): Promise<Screen> {
  const { endSession, since, messages, deriveStepKey } = context
  const stepKey = await deriveStepKey(joinAnswers(answers))
  const deriveIntent = () => deriveSessionIntent(context)
  const sessionEnd = { since, answerCount: answers.length, stepKey, screen, reason, deriveIntent }
  const answer = await endSession(sessionEnd)
  return answer.kind === 'screen' ? tellAnswer(context, answer) : toScreen(messages, answer)
}

const toReply = (screen: Screen): UssdReply => ({ kind: 'screen', screen })
