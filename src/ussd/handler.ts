import type { Language } from '../account/language.ts'
import { findLanguage, recordDial, recordLanguage, removeDialTime } from '../account/memory.ts'
import { isListed } from '../account/phone.ts'
import { withTimeLimit } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import { changeAccount } from './account-changes.ts'
import type { NumberedStep, UssdRequest } from './gateways/gateway.ts'
import type { SessionView } from './known-refusal.ts'
import { activity } from './menu/entries/activity.ts'
import { balance } from './menu/entries/balance.ts'
import { help } from './menu/entries/help.ts'
import { deposit, receive } from './menu/entries/receive.ts'
import { type Intent, isIntent, leadsToPayment, requireAnswer } from './menu/node.ts'
import { type Place, writePrompt } from './menu/prompt.ts'
import { recallWords } from './menu/recall.ts'
import { messagesIn, selectMessages } from './messages/languages.ts'
import { findDenial, type PaymentRequest, requestPayment } from './payment-request.ts'
import { readFinalBalance, showPlace } from './place-screen.ts'
import { toScreen, writeDenial } from './refusal-texts.ts'
import { createWorthFormats } from './screens/amount-formats.ts'
import { askScreen, endScreen, type Screen } from './screens/screen.ts'
import type { Services } from './services.ts'
import { endOnce, endSessionWith, tellAnswer } from './session/end.ts'
import {
  type FollowedVisit,
  nameQuestion,
  readAnswers,
  readSession,
  storeAnswers,
} from './session/reading.ts'
import { askedRecord, readSessionRate, recordIfAbsent } from './session/records.ts'
import { findUnconfirmed, keepUnconfirmed } from './session/start.ts'
import { beginVisit, hasAccount, updateMemoryLater, type Visit } from './visit.ts'

/** Answers one delivery with a screen. Never throws. */
export type UssdHandler = (request: UssdRequest) => Promise<UssdReply>

/** Replies with a screen; `out_of_service` if the deployment must not serve anyone as it is. */
export type UssdReply = { kind: 'screen' | 'out_of_service'; screen: Screen }

/** Limits the time of a reply, even if a store does not answer. */
const replyLimitMs = 7_700

/** Creates the handler of all deliveries, whatever the gateway. */
export function createUssdHandler(services: Services): UssdHandler {
  return async (request) => {
    const messages = selectMessages(services.settings)
    let lateText = messages.unavailable
    const pay: Services['pay'] = (step) => {
      lateText = messages.uncertain
      return services.pay(step)
    }
    const claimDeposit: Services['claimDeposit'] = (account) => {
      lateText = receive.words(messages).claimed.unknown
      return services.claimDeposit(account)
    }
    const reply = handleDelivery({ ...services, pay, claimDeposit }, request)
    services.waitUntil(reply)
    return await withTimeLimit(services, replyLimitMs, reply, () => toReply(endScreen(lateText)))
  }
}

async function handleDelivery(services: Services, request: UssdRequest): Promise<UssdReply> {
  const { log, settings } = services
  const since = services.now()
  let messages = selectMessages(settings)
  try {
    const identified = await services.identity()
    if (identified.kind === 'different') {
      log({
        level: 'error',
        event: 'identity.different',
        message: `The ledger was begun with other values of: ${identified.names.join(', ')}`,
      })
      return { kind: 'out_of_service', screen: endScreen(messages.outOfService) }
    }
    const begun = await beginVisit(services, request, since)
    if (!isListed(begun.phone) && !(await hasAccount(begun, begun.phone))) {
      const message = 'A caller with no account was refused: no numbering plan knows the number'
      log({ level: 'error', event: 'number.unlisted', message })
      // A PIN may be among the answers, so they are left out. The number may be another form of a
      // known number, so no account is opened.
      const screen = endScreen(messages.unlistedNumber)
      return toReply(await endSessionWith(begun, screen, 'unlisted'))
    }
    const { language, unconfirmed } = await readMemory(begun)
    messages = selectMessages(settings, language)
    const visit = { ...begun, messages, unconfirmed }
    const answers = await readAnswers(visit, request)
    if (answers === undefined) {
      // An earlier answer is missing or late, so the last answer has no known meaning.
      const screen = endScreen(messages.sessionClosed)
      return toReply(await endSessionWith(visit, screen, 'lost'))
    }
    return toReply(await processAnswers(visit, answers, request.step))
  } catch (error) {
    // Payments handle their own failures, so this one came while reading, and nothing was sent.
    log({ level: 'error', event: 'answer.failed', message: describeFault(error) })
    return toReply(endScreen(messages.unavailable))
  }
}

type Remembered = { language?: Language | undefined } & Partial<Pick<Visit, 'unconfirmed'>>

/** Reads the caller's language, and what was asked a moment ago; records the dial. */
async function readMemory(visit: Visit): Promise<Remembered> {
  if (visit.services.settings.profile === 'demo') return {}
  try {
    const { address } = visit.account
    const memory = await visit.services.memory.read(address)
    if (!memory.hasDialled) updateMemoryLater(visit.services, address, recordDial)
    if (visit.services.pins === undefined && memory.dialedAt !== undefined) {
      updateMemoryLater(visit.services, address, removeDialTime)
    }
    return { language: findLanguage(memory), unconfirmed: findUnconfirmed(visit, memory) }
  } catch (error) {
    visit.services.log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
    return {}
  }
}

/** Follows and stores a delivery's answers, and does what they ask for. */
async function processAnswers(
  begun: Visit,
  typedAnswers: readonly string[],
  step?: NumberedStep,
): Promise<Screen> {
  const visit = await readSession(begun, typedAnswers, step !== undefined)
  // A new PIN in `result` is the only secret from here on.
  const { result, storedAnswers, authorizedBy } = visit
  const { messages } = visit
  if (result.kind !== 'ask') await keepUnconfirmed(visit)
  if (step !== undefined) {
    const stored = await storeAnswers(visit, step, storedAnswers)
    // Another delivery stored different answers, or the session is over and must not ask again.
    if (stored === 'conflict' || (stored === 'session_ended' && result.kind === 'ask')) {
      return endSessionWith(visit, endScreen(messages.sessionClosed), 'lost')
    }
  }
  if (result.kind === 'ask' || result.kind === 'balance') {
    const denial = await findDenial(visit, authorizedBy)
    if (denial !== undefined) {
      const screen = endScreen(writeDenial(visit, denial))
      return endSessionWith(visit, screen, denial)
    }
  }
  // A session that has paid is over; the demonstration shows its screens all the same. What pays is
  // looked up on its way.
  const mustLookUp = visit.services.settings.profile !== 'demo' && !isIntent(result)
  const view = mustLookUp ? await visit.services.ledger.lookup(visit.stepKey) : undefined
  if (view?.kind === 'ended') return endScreen(messages.sessionEnded)
  return performResult(visit, view)
}

/** Shows what the answers lead to: the next question, or the end of the session. May pay. */
async function performResult(visit: FollowedVisit, view: SessionView | undefined): Promise<Screen> {
  const { messages, result, authorizedBy } = visit
  const endWithText = (text: string, reason: string) =>
    endSessionWith(visit, endScreen(text), reason)
  switch (result.kind) {
    case 'ask':
      return askQuestion(visit, result.place, view)
    case 'locked':
      return endWithText(writeDenial(visit, result.reason), result.reason)
    case 'gave_up':
    case 'too_long':
    case 'past_the_end': {
      const { tooManyMistakes, sessionClosed } = messages
      return endWithText(result.kind === 'gave_up' ? tooManyMistakes : sessionClosed, result.kind)
    }
    case 'balance':
    case 'claim': {
      if (!visit.services.mayDial(visit.stepKey)) return endScreen(messages.tooManyDials)
      if (result.kind === 'claim') return showDepositClaim(visit)
      return showBalance(visit, await readFinalBalance(visit.services, visit.account.address))
    }
    case 'language':
      return chooseLanguage(visit, requireAnswer(result.language))
    case 'help':
      return endScreen(help.words(messages).help(visit.services.settings.helpNumber ?? ''))
    default:
      return isIntent(result)
        ? makePayment(visit, result)
        : endOnce(visit, () => changeAccount(visit, result, authorizedBy))
  }
}

/** Asks a question. The ledger records when, if its answer may pay, or after a mistake. */
async function askQuestion(
  visit: FollowedVisit,
  place: Place,
  view?: SessionView,
): Promise<Screen> {
  const { menu, settings, ledger } = visit.services
  const { screen, reason } = await showPlace(visit, place, view)
  if (screen.kind === 'end') return endSessionWith(visit, screen, reason)
  if (view === undefined || view.kind === 'undecided') await keepUnconfirmed(visit, place)
  if (settings.profile === 'demo') return screen
  const mayPay = visit.hasAnswersBeforePin || leadsToPayment(menu, place.name)
  if (!mayPay && place.mistake === undefined) return screen
  const stepKey = visit.createStepKey(nameQuestion(visit.hasAnswersBeforePin, visit.answers))
  const isAsked = await recordIfAbsent(ledger, stepKey, askedRecord, true)
  if (isAsked) return screen
  return endSessionWith(visit, endScreen(visit.messages.sessionClosed))
}

async function makePayment(visit: FollowedVisit, intent: Intent): Promise<Screen> {
  const { settings } = visit.services
  const { messages, authorizedBy, latePlace } = visit
  const lastQuestion = nameQuestion(visit.hasAnswersBeforePin, visit.answers.slice(0, -1))
  const nameAsked = () => ({
    input: visit.createStepKey(lastQuestion).input,
    holdsMs: settings.sessionSeconds * 1_000,
  })
  const { answer } = await requestPayment(visit, {
    intent,
    authorizedBy,
    question: settings.profile === 'demo' ? undefined : nameAsked(),
    createRepeatScreen: await prepareRepeatScreen(visit),
  })
  if (answer.kind === 'screen') return tellAnswer(visit, answer)
  if (answer.kind !== 'late') return toScreen(messages, answer, intent.kind)
  if (latePlace !== undefined) return askQuestion(visit, latePlace)
  return endSessionWith(visit, endScreen(messages.sessionClosed), answer.kind)
}

/** Returns a function that writes the question whether to make an equal payment again. */
async function prepareRepeatScreen(
  visit: FollowedVisit,
): Promise<PaymentRequest['createRepeatScreen']> {
  const { menuContext, repeatPlace } = visit
  // The whole balance is a different amount each time.
  if (repeatPlace === undefined || repeatPlace.draft.amountWei === 'all') return undefined
  const rate = await readSessionRate(visit)
  return (earlier) => askScreen(writePrompt(repeatPlace, menuContext, { earlier, rate }))
}

/** Shows a balance at the current exchange rate, because no payment depends on it. */
async function showBalance(
  { services, messages }: Visit,
  { finalWei, arrivingWei, heldWei }: Awaited<ReturnType<typeof readFinalBalance>>,
): Promise<Screen> {
  const { localCurrency } = services.settings
  const rate = (localCurrency && (await services.readRate())) || 'none'
  const { show } = createWorthFormats(services, rate)
  const noRateLine = localCurrency && rate === 'none' && messages.noRate(localCurrency)
  const { arriving } = activity.words(messages)
  const arrivingLine = arrivingWei > 0n && `(${arriving}: ${show(arrivingWei)})`
  const heldLine = heldWei > 0n && recallWords(messages).heldLine(show(heldWei))
  const balanceLine = balance.words(messages).balance(show(finalWei))
  const lines = [balanceLine, noRateLine, arrivingLine, heldLine]
  return endScreen(lines.filter(Boolean).join('\n'))
}

/** Credits a deposit at the account's own address, at most once, and shows the result. */
async function showDepositClaim({
  services: { claimDeposit, showAmount, settings, log },
  account,
  messages,
}: Visit): Promise<Screen> {
  const { claimed: words } = receive.words(messages)
  const claim = await claimDeposit(account).catch((error: unknown) => {
    log({ level: 'error', event: 'answer.failed', message: describeFault(error) })
    return undefined
  })
  // Another delivery of this claim may have sent the deposit, or sends it now.
  if (claim === undefined) return endScreen(words.unknown)
  switch (claim.kind) {
    case 'sent': {
      const hash = `${claim.hash.slice(0, 12)}...`
      return endScreen(
        claim.isTaken ? words.sent(showAmount(claim.amountWei), hash) : words.unknown,
      )
    }
    case 'under_way':
      return endScreen(words.underWay)
    case 'too_little': {
      const { balanceWei, gasWei, last } = claim
      // What a deposit did not use for gas stays at the address, but is no new deposit.
      if (last !== undefined) return endScreen(words.nothingSince(showAmount(last.amountWei)))
      if (balanceWei === 0n) return endScreen(deposit.words(messages).nothing)
      return endScreen(words.tooLittle(showAmount(balanceWei), showAmount(gasWei)))
    }
    case 'price_too_high':
      return endScreen(messages.feesTooHigh)
    case 'paused':
      return endScreen(messages.paused)
    case 'held':
      return endScreen(messages.held(settings.helpNumber))
    case 'refused':
      return endScreen(messages.unavailable)
  }
}

async function chooseLanguage(
  { services: { memory }, account, session }: Visit,
  language: Language,
): Promise<Screen> {
  await memory.change(account.address, (before) => recordLanguage(before, language, session))
  return endScreen(messagesIn[language].languageChosen)
}

const toReply = (screen: Screen): UssdReply => ({ kind: 'screen', screen })
