import { type Address, checksumAddress, formatEther } from 'viem'
import type { CallerAccounts } from '../account/keys.ts'
import type { Language } from '../account/language.ts'
import { languageIn, withDialled, withLanguage, withoutDialTime } from '../account/memory.ts'
import { isOpened } from '../account/opened.ts'
import { isListed, type PhoneNumber, spelledPhone } from '../account/phone.ts'
import type { SessionKeys } from '../account/session-keys.ts'
import { formatAmountDown } from '../loan/amounts.ts'
import type { Identified, Ledger } from '../relay/ledger/port.ts'
import { answerOf } from '../relay/pay/answers.ts'
import type { Pay } from '../relay/pay/delivery.ts'
import type { EndSession } from '../relay/pay/end-session.ts'
import type { Clock } from '../runtime/clock.ts'
import { faultOf } from '../runtime/log.ts'
import { orLate } from '../runtime/time-limit.ts'
import { type AskOptions, askAt } from './ask.ts'
import { type Asked, createAsked, stepOf } from './asked.ts'
import { type ClaimOptions, claimFor } from './deposits.ts'
import { balance } from './menu/balance.ts'
import { createMenu } from './menu/entries.ts'
import { help } from './menu/help.ts'
import type { Menu, MenuContext } from './menu/node.ts'
import { answersOf } from './menu/walk.ts'
import { messagesIn, wordsFor } from './messages/languages.ts'
import { longAddress } from './messages/texts.ts'
import { denialOf, payFor } from './paying.ts'
import { changePin } from './pin-changes.ts'
import { deniedText, screenOf } from './refused.ts'
import { remember } from './remember.ts'
import type { UssdRequest } from './request.ts'
import { end, type Screen } from './screens/screen.ts'
import { type Read, readSession } from './session.ts'

/** Answers one delivery with a screen. Never throws. */
export type Answer = (request: UssdRequest) => Promise<Answered>

/** Is `out_of_service` where nothing may be done, and the operator has to know. */
export type Answered = { kind: 'screen' | 'out_of_service'; screen: Screen }

export type AnswerOptions = Omit<AskOptions & ClaimOptions, 'amountOf'> & {
  currency: string
  loanAddress: Address
  accounts: CallerAccounts
  keys: SessionKeys
  identity: () => Promise<Identified>
  ledger: Pick<Ledger, 'lookup'>
  endSession: EndSession
  sleep: Clock['sleep']
}

/** Answers a caller by then, whatever store is waited for. */
const latestMs = 7_700

/** Leads from what was typed to a screen, by way of the chain where it must. */
export function createAnswer(options: AnswerOptions): Answer {
  const menu = createMenu(options.settings)
  const amountOf = (wei: bigint) => `${formatAmountDown(wei)} ${options.currency}`
  return async (request) => {
    let isPaying = false
    const pay: Pay = (payment) => {
      isPaying = true
      return options.pay(payment)
    }
    const answering = answerPatiently({ ...options, menu, amountOf, pay }, request)
    options.background(answering)
    return await orLate(options, latestMs, answering, () => {
      const { uncertain, unavailable } = wordsFor(options.settings, undefined)
      return screen(end(isPaying ? uncertain : unavailable))
    })
  }
}

type Parts = AnswerOptions & { menu: Menu; amountOf: (wei: bigint) => string }

async function answerPatiently(parts: Parts, request: UssdRequest): Promise<Answered> {
  const { log, identity } = parts
  let asked = createAsked(parts, request, parts.now())
  try {
    const identified = await identity()
    if (identified.kind === 'different') {
      log({
        level: 'error',
        event: 'identity.different',
        message: `The ledger was begun with other values of: ${identified.names.join(', ')}`,
      })
      return { kind: 'out_of_service', screen: end(asked.say.outOfService) }
    }
    if (!isListed(asked.phone) && !(await isCustomer(parts, asked, asked.phone))) {
      const message = 'A caller with no account was refused: no numbering plan knows the number'
      log({ level: 'error', event: 'number.unlisted', message })
      // What was typed may have been a PIN. No account is opened: it may be a form of another number.
      return screen(await endFor(parts, asked, [], end(asked.say.unlistedNumber), true))
    }
    asked = { ...asked, say: wordsFor(parts.settings, await languageFor(parts, asked)) }
    return screen(await screenFor(parts, asked, answersOf(request.text)))
  } catch (error) {
    // Payments answer for themselves; what fails here is a reading, or came before anything began.
    log({ level: 'error', event: 'answer.failed', message: faultOf(error) })
    return screen(end(asked.say.unavailable))
  }
}

/** Serves all who have an account, whatever numbering plans say of the number by now. */
async function isCustomer(
  { settings, memory, ledger, loan }: Parts,
  { accounts }: Asked,
  phone: PhoneNumber,
): Promise<boolean> {
  const remembered = settings.profile === 'demo' ? undefined : memory
  return isOpened((await accounts(phone)).address, { memory: remembered, ledger, loan })
}

/** Reads the language that the caller chose, and notes the dial. */
async function languageFor(parts: Parts, { account }: Asked): Promise<Language | undefined> {
  const { settings, memory, pins, log } = parts
  if (settings.profile === 'demo') return undefined
  try {
    const { address } = await account()
    const kept = await memory.read(address)
    if (!kept.hasDialled) remember(parts, address, withDialled)
    if (pins === undefined && kept.dialedAt !== undefined) {
      remember(parts, address, withoutDialTime)
    }
    return languageIn(kept)
  } catch (error) {
    log({ level: 'warn', event: 'memory.failed', message: faultOf(error) })
    return undefined
  }
}

async function screenFor(parts: Parts, asked: Asked, typed: readonly string[]): Promise<Screen> {
  const { loan, amountOf, pins, settings } = parts
  const { say, account } = asked
  const context = contextOf(parts, asked)
  const { ledger, mayDial } = parts
  const read = await readSession(
    { ...asked, context, pins, ledger, isCustomer: (phone) => isCustomer(parts, asked, phone) },
    typed,
  )
  // From here on nothing that is secret is known but what is to be set.
  const { result, answers, authorizedBy, or } = read
  const ends = (text: string) => endFor(parts, asked, answers, end(text))
  if (result.kind === 'ask' || result.kind === 'balance') {
    const denied = await denialOf(pins, (await account()).address, authorizedBy)
    if (denied !== undefined) return ends(deniedText(say, denied))
  }
  switch (result.kind) {
    case 'ask': {
      const shown = await askAt({ ...parts, asked, context }, result.place, answers)
      // What an answer to it would have led to is not to be had any more.
      return shown.kind === 'end' ? endFor(parts, asked, answers, shown) : shown
    }
    case 'locked':
      return ends(say.pin.locked[result.why])
    case 'choosePin':
    case 'changePin':
    case 'forgetPin':
      return changePinFor(parts, asked, read, result)
    case 'gave_up':
      return ends(say.tooManyMistakes)
    case 'too_long':
      return ends(say.tooLong)
    case 'past_the_end':
      return ends(say.sessionClosed)
    case 'balance':
    case 'claim': {
      const question = await asked.question(stepOf(answers))
      if (!mayDial(question)) return end(say.tooManyDials)
      if (result.kind === 'claim') return claimFor(parts, asked)
      return end(balance.words(say).balance(amountOf(await loan.balance(question.account))))
    }
    case 'language':
      return chooseLanguage(parts, asked, result.language)
    case 'help':
      return end(help.words(say).help(settings.own[help.variable.name] ?? ''))
    default: {
      const instead = or && { place: or, context }
      const wanted = { intent: result, answers, authorizedBy }
      return screenOf(say, await payFor(parts, asked, wanted, instead), result.kind)
    }
  }
}

function contextOf(parts: Parts, { phone, say }: Asked): MenuContext {
  const { chainId, settings, leastTransferWei } = parts
  return {
    chainId,
    caller: phone,
    say,
    menu: parts.menu,
    hasLanguages: settings.languages.length > 1,
    known: settings.profile === 'demo' ? [] : undefined,
    reserved: [parts.forwarder.address, parts.loanAddress],
    amountOf: parts.amountOf,
    recipientOf: (recipient) => {
      switch (recipient.kind) {
        case 'phone':
          return spelledPhone(recipient.phone)
        case 'known':
          return recipient.label
        case 'address':
          return longAddress(checksumAddress(recipient.address, chainId))
      }
    },
    // Exact: what is less than it is refused.
    least: { wei: leastTransferWei, text: `${formatEther(leastTransferWei)} ${parts.currency}` },
  }
}

async function chooseLanguage(
  { memory }: Parts,
  { account, session: sessionOf }: Asked,
  language: Language,
): Promise<Screen> {
  const [{ address }, session] = await Promise.all([account(), sessionOf()])
  await memory.change(address, (kept) => withLanguage(kept, language, session))
  return end(messagesIn[language].languageChosen)
}

/** Changes the PIN in a session that is undecided; one that is decided changes nothing any more. */
async function changePinFor(
  parts: Parts,
  asked: Asked,
  { answers, authorizedBy }: Read,
  action: Parameters<typeof changePin>[2],
): Promise<Screen> {
  const view = await parts.ledger.lookup(await asked.question(stepOf(answers)))
  if (view.kind !== 'undecided' && view.kind !== 'pending') {
    return screenOf(asked.say, answerOf(view))
  }
  return endFor(parts, asked, answers, await changePin(parts, asked, action, authorizedBy))
}

/** Ends a session that pays nothing: the ledger has it before it is shown. */
async function endFor(
  { endSession }: Parts,
  { since, say, question }: Asked,
  answers: readonly string[],
  screen: Screen,
  isUnlisted = false,
): Promise<Screen> {
  const steps = answers.length
  const ending = { since, steps, question: await question(stepOf(answers)), screen, isUnlisted }
  return screenOf(say, await endSession(ending))
}

const screen = (shown: Screen): Answered => ({ kind: 'screen', screen: shown })
