import { type Address, checksumAddress, formatEther } from 'viem'
import type { CallerAccounts } from '../account/keys.ts'
import type { Language } from '../account/language.ts'
import { languageIn, withDialled, withLanguage, withoutDialTime } from '../account/memory.ts'
import { isOpened } from '../account/opened.ts'
import { isListed, type PhoneNumber, spelledPhone } from '../account/phone.ts'
import type { Seal } from '../account/seal.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import { createWalletCodes } from '../account/wallets.ts'
import { formatAmountDown } from '../loan/amounts.ts'
import { formatWorth } from '../loan/local-worth.ts'
import type { Identified, Ledger } from '../relay/ledger/port.ts'
import { toAnswer } from '../relay/pay/answers.ts'
import type { Pay } from '../relay/pay/delivery.ts'
import type { EndSession } from '../relay/pay/end-session.ts'
import type { Clock } from '../runtime/clock.ts'
import { describeFault } from '../runtime/log.ts'
import { orLate } from '../runtime/time-limit.ts'
import { type AskOptions, askAt } from './ask.ts'
import { type Asked, createAsked, joinAnswers } from './asked.ts'
import { type ClaimOptions, claimFor } from './deposits.ts'
import type { NumberedStep, UssdRequest } from './gateways/gateway.ts'
import { balance } from './menu/balance.ts'
import { createMenu } from './menu/entries.ts'
import { help } from './menu/help.ts'
import type { Menu, MenuContext, PinAction } from './menu/node.ts'
import { writePrompt } from './menu/walk.ts'
import { messagesIn, wordsFor } from './messages/languages.ts'
import { longAddress, shortAddress } from './messages/texts.ts'
import { findDenial, payFor } from './paying.ts'
import { changePin } from './pin-changes.ts'
import { deniedText, toScreen } from './refused.ts'
import { remember } from './remember.ts'
import { end, goOn, type Screen } from './screens/screen.ts'
import { keepAnswers, type Read, readAnswers, readSession } from './session.ts'
import { rateIn } from './shown.ts'

/** Answers one delivery with a screen. Never throws. */
export type Answer = (request: UssdRequest) => Promise<Answered>

/** Holds the reply; `out_of_service` means that nothing may be done and the operator must know. */
export type Answered = { kind: 'screen' | 'out_of_service'; screen: Screen }

export type AnswerOptions = Omit<AskOptions & ClaimOptions, 'showAmount'> & {
  currency: string
  loanAddress: Address
  accounts: CallerAccounts
  keys: SessionKeys
  identity: () => Promise<Identified>
  ledger: Pick<Ledger, 'lookup' | 'findTill'>
  endSession: EndSession
  /** Seals the stored text of a session, for gateways that send only the last answer. */
  textSeal: Seal
  sleep: Clock['sleep']
}

/** Limits the time of an answer, even if a store does not reply. */
const latestMs = 7_700

/** Creates the function that turns typed text into a screen, and asks the chain only if needed. */
export function createAnswer(options: AnswerOptions): Answer {
  const menu = createMenu(options.settings)
  const showAmount = (wei: bigint) => `${formatAmountDown(wei)} ${options.currency}`
  return async (request) => {
    let isPaying = false
    const pay: Pay = (payment) => {
      isPaying = true
      return options.pay(payment)
    }
    const answering = answerPatiently({ ...options, menu, showAmount, pay }, request)
    options.background(answering)
    return await orLate(options, latestMs, answering, () => {
      const { uncertain, unavailable } = wordsFor(options.settings, undefined)
      return screen(end(isPaying ? uncertain : unavailable))
    })
  }
}

type Parts = AnswerOptions & { menu: Menu; showAmount: (wei: bigint) => string }

type Asking = Parts & Asked

async function answerPatiently(parts: Parts, request: UssdRequest): Promise<Answered> {
  let of: Asking = { ...parts, ...createAsked(parts, request, parts.now()) }
  const { log } = parts
  try {
    const identified = await of.identity()
    if (identified.kind === 'different') {
      log({
        level: 'error',
        event: 'identity.different',
        message: `The ledger was begun with other values of: ${identified.names.join(', ')}`,
      })
      return { kind: 'out_of_service', screen: end(of.say.outOfService) }
    }
    if (!isListed(of.phone) && !(await isCustomer(of, of.phone))) {
      const message = 'A caller with no account was refused: no numbering plan knows the number'
      log({ level: 'error', event: 'number.unlisted', message })
      // What was typed may be a PIN. No account is opened: this may be another form of a known
      // number.
      return screen(await endFor(of, [], end(of.say.unlistedNumber), 'unlisted'))
    }
    of = { ...of, say: wordsFor(of.settings, await languageFor(of)) }
    const typed = await readAnswers(of, request)
    // An earlier answer is missing or late: end the session, so that this is what happened.
    if (typed === undefined) return screen(await endFor(of, [], end(of.say.sessionClosed), 'lost'))
    return screen(await screenFor(of, typed, request.step))
  } catch (error) {
    // Payments handle their own failures: here only a reading failed, and nothing was sent.
    log({ level: 'error', event: 'answer.failed', message: describeFault(error) })
    return screen(end(of.say.unavailable))
  }
}

/** Tells whether a number has an account, which is served even if no plan lists it. */
async function isCustomer(of: Asking, phone: PhoneNumber) {
  const memory = of.settings.profile === 'demo' ? undefined : of.memory
  return await isOpened((await of.accounts(phone)).address, { ...of, memory })
}

/** Reads the caller's language, and records the dial. */
async function languageFor(of: Asking): Promise<Language | undefined> {
  if (of.settings.profile === 'demo') return undefined
  try {
    const { address } = await of.account()
    const kept = await of.memory.read(address)
    if (!kept.hasDialled) remember(of, address, withDialled)
    if (of.pins === undefined && kept.dialedAt !== undefined) {
      remember(of, address, withoutDialTime)
    }
    return languageIn(kept)
  } catch (error) {
    of.log({ level: 'warn', event: 'memory.failed', message: describeFault(error) })
    return undefined
  }
}

async function screenFor(
  of: Asking,
  typed: readonly string[],
  step?: NumberedStep,
): Promise<Screen> {
  const { say } = of
  const context = createContext(of)
  const isOpen = (phone: PhoneNumber) => isCustomer(of, phone)
  const keeps = step !== undefined
  const walletCodes = createWalletCodes(of)
  const read = await readSession({ ...of, context, isCustomer: isOpen, walletCodes, keeps }, typed)
  // From here on the only secret is a new PIN.
  const { result, answers, kept, authorizedBy, or } = read
  const ends = (text: string, reason: string) => endFor(of, answers, end(text), reason)
  if (step !== undefined) {
    const as = await keepAnswers(of, step, kept)
    // Another answer took this number, or the session is decided and cannot ask.
    if (as === 'taken' || (as === 'decided' && result.kind === 'ask'))
      return ends(say.sessionClosed, 'lost')
  }
  if (result.kind === 'ask' || result.kind === 'balance') {
    const denied = await findDenial(of, authorizedBy)
    if (denied !== undefined) return ends(deniedText(say, denied), denied)
  }
  switch (result.kind) {
    case 'ask': {
      const { screen: shown, reason } = await askAt({ ...of, context }, result.place, answers)
      // The session ends here, so close it.
      return shown.kind === 'end' ? endFor(of, answers, shown, reason) : shown
    }
    case 'locked':
      return ends(say.pin.locked[result.why], result.why)
    case 'choosePin':
    case 'changePin':
    case 'forgetPin':
      return changePinFor(of, read, result)
    case 'gave_up':
      return ends(say.tooManyMistakes, result.kind)
    case 'too_long':
      return ends(say.tooLong, result.kind)
    case 'past_the_end':
      return ends(say.sessionClosed, result.kind)
    case 'balance':
    case 'claim': {
      const question = await of.question(joinAnswers(answers))
      if (!of.mayDial(question)) return end(say.tooManyDials)
      if (result.kind === 'claim') return claimFor(of)
      return showBalance(of, await of.loan.balance(question.account))
    }
    case 'language':
      return chooseLanguage(of, result.language)
    case 'help':
      return end(help.words(say).help(of.settings.helpNumber ?? ''))
    default: {
      const isLocal = or !== undefined && of.settings.localCurrency !== undefined
      const rate = isLocal ? await rateIn(of) : 'none'
      // "All" is another amount each time, so two of them are never equal.
      const askOfEqual =
        or === undefined || or.draft.amountWei === 'all'
          ? undefined
          : (earlierMinutes: number) => goOn(writePrompt(or, context, { earlierMinutes, rate }))
      const wanted = { intent: result, answers, authorizedBy, askOfEqual }
      return toScreen(say, await payFor(of, wanted), result.kind)
    }
  }
}

/** Shows a balance at the current rate; no payment depends on it. */
async function showBalance({ say, settings, rate, showAmount }: Asking, wei: bigint) {
  const { localCurrency: local } = settings
  const now = local === undefined ? undefined : await rate()
  const worth = now && formatWorth(wei, now)
  const lines = [worth === undefined ? local && say.noRate(local) : say.about(worth)]
  return end([balance.words(say).balance(showAmount(wei)), ...lines.filter(Boolean)].join('\n'))
}

function createContext(of: Asking): MenuContext {
  const { chainId, settings, leastTransferWei, say, phone: caller, menu, showAmount } = of
  return {
    ...{ chainId, caller, say, menu, showAmount, currency: of.currency },
    rate: settings.localCurrency === undefined ? 'none' : undefined,
    hasLanguages: settings.languages.length > 1,
    known: settings.profile === 'demo' ? [] : undefined,
    wallets: undefined,
    reserved: [of.forwarder.address, of.loanAddress],
    describeRecipient: (recipient) => {
      if (recipient.kind === 'phone') return spelledPhone(recipient.phone)
      if (recipient.kind !== 'address') return recipient.label
      const address = checksumAddress(recipient.address, chainId)
      return recipient.name ? `${recipient.name} ${shortAddress(address)}` : longAddress(address)
    },
    // Exact, since a smaller amount is refused.
    least: { wei: leastTransferWei, text: `${formatEther(leastTransferWei)} ${of.currency}` },
  }
}

async function chooseLanguage(of: Asking, language: Language): Promise<Screen> {
  const [{ address }, session] = await Promise.all([of.account(), of.session()])
  await of.memory.change(address, (kept) => withLanguage(kept, language, session))
  return end(messagesIn[language].languageChosen)
}

/** Changes the PIN unless the session is already decided. */
async function changePinFor(of: Asking, { answers, authorizedBy }: Read, action: PinAction) {
  const view = await of.ledger.lookup(await of.question(joinAnswers(answers)))
  if (view.kind !== 'undecided' && view.kind !== 'pending') return toScreen(of.say, toAnswer(view))
  return endFor(of, answers, await changePin(of, action, authorizedBy))
}

/** Ends a session without a payment; the ledger records the end before the screen is shown. */
async function endFor(of: Asking, answers: readonly string[], screen: Screen, reason?: string) {
  const { endSession, since, say, question } = of
  const answerCount = answers.length
  const ending = {
    since,
    answerCount,
    question: await question(joinAnswers(answers)),
    screen,
    reason,
  }
  return toScreen(say, await endSession(ending))
}

const screen = (shown: Screen): Answered => ({ kind: 'screen', screen: shown })
