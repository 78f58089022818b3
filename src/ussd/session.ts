import { isAddressEqual } from 'viem'
import type { PhoneNumber } from '../account/phone.ts'
import { isKeptPin, isPin, type Pins, type PinVerdict, pinMark } from '../account/pin.ts'
import type { Seal } from '../account/seal.ts'
import type { WalletCodes } from '../account/wallets.ts'
import type { Rate } from '../loan/local-worth.ts'
import type { Ledger, Question } from '../relay/ledger/port.ts'
import { type Asked, joinAnswers } from './asked.ts'
import type { NumberedStep, UssdRequest } from './gateways/gateway.ts'
import type { MenuContext, UnreadAnswer } from './menu/node.ts'
import { follow, maxAnswers, meant, splitAnswers } from './menu/walk.ts'
import {
  keepShown,
  listsStep,
  pinVerdict,
  rateIn,
  sessionStart,
  shownAt,
  shownCode,
  shownOpened,
  shownOr,
  shownPinSet,
  shownRecipients,
  shownText,
  shownTill,
  shownWallets,
} from './shown.ts'

export type Read = Awaited<ReturnType<typeof readSession>>

export type SessionOptions = {
  context: MenuContext
  pins: Pins | undefined
  ledger: Pick<Ledger, 'rememberFirst' | 'recall' | 'lookup' | 'findTill'>
  question: Asked['question']
  isCustomer: (phone: PhoneNumber) => Promise<boolean>
  walletCodes: Pick<WalletCodes, 'take'>
  /** Tells that later deliveries continue from the stored answers. */
  keeps: boolean
  rate: () => Promise<Rate | undefined>
}

type TextOptions = Pick<SessionOptions, 'ledger' | 'question'> & {
  /** Seals the stored text of a session. */
  textSeal: Seal
}

const nameText = (number: number): string => `text ${number}`

/** Reads a session's answers up to this delivery; undefined if earlier ones are not stored. */
export async function readAnswers(of: TextOptions, { text, step }: UssdRequest) {
  const typed = splitAnswers(text)
  if (step === undefined || step.isFirst) return typed
  const before = await of.question(nameText(step.number - 1))
  const kept = await openText(of, before, await shownAt(of.ledger, before, shownText))
  return kept === undefined ? undefined : [...(JSON.parse(kept) as string[]), ...typed]
}

/** Stores the answers up to a numbered delivery; the first delivery of a number counts. */
export async function keepAnswers(
  of: TextOptions,
  { number }: NumberedStep,
  answers: readonly string[],
) {
  const step = await of.question(nameText(number))
  const text = JSON.stringify(answers)
  const sealed = await of.textSeal.close(text, toSubject(step))
  const first = await keepShown(of.ledger, step, shownText, sealed)
  if (first === undefined) return 'decided'
  return (await openText(of, step, first)) === text ? 'kept' : 'taken'
}

const toSubject = ({ session, input }: Question): string => `${session}:${input}`

const openText = async ({ textSeal }: TextOptions, step: Question, sealed: string | undefined) =>
  sealed === undefined ? undefined : await textSeal.open(sealed, toSubject(step))

/** Reads a session's answers, each as its first delivery did. @throws {Error} no answer */
export async function readSession(parts: SessionOptions, answers: readonly string[]) {
  const { pins, question, ledger, keeps } = parts
  let context: MenuContext = { ...parts.context, opened: new Map() }
  const verdicts = new Map<number, PinVerdict>()
  const begun =
    pins === undefined ? { start: 'main' } : await findStart(parts, pins, answers.length)
  const waits = 'waiting' in begun
  const standIns = pins && keeps ? await standInsFor(pins, await question(''), answers) : undefined
  let isPinSet = false
  let authorizedBy: string | undefined
  for (;;) {
    const known = { ...begun, verdicts, isPinSet, standIns }
    const { result, shown, kept, or } = follow(answers, context, known)
    if (result.kind === 'unread') {
      context = { ...context, ...(await readMeaning(parts, result, context)) }
    } else if (result.kind === 'unjudged') {
      if (pins === undefined) throw new Error('a PIN is asked for where there are none')
      const { pin, answerCount: steps } = result
      const step = await question(joinAnswers(shown.slice(0, steps)))
      const name = `${step.session}:${step.input}`
      const verify = () => pins.verify(step.account, pin, name)
      const verdict = isKeptPin(pin)
        ? await shownAt(ledger, step, pinVerdict)
        : await shownOr(ledger, step, pinVerdict, verify)
      if (verdict === undefined) throw new Error('the verdict on a PIN is lost')
      verdicts.set(steps, verdict)
      if (verdict.kind === 'right') authorizedBy = name
    } else if (result.kind === 'choosePin' && waits && !isPinSet) {
      isPinSet = await hasSetPin(parts, result.pin)
      if (!isPinSet) return { result, answers: shown, kept, or, authorizedBy }
    } else {
      const safe = pins === undefined ? answers : shown
      return { result, answers: safe, kept, or, authorizedBy }
    }
  }
}

/** Reads what an answer means as its first delivery had it, since meanings change with time. */
async function readMeaning(
  parts: SessionOptions,
  unread: UnreadAnswer,
  context: MenuContext,
): Promise<Partial<MenuContext>> {
  const { ledger, question, isCustomer, walletCodes } = parts
  switch (unread.of) {
    case 'rate':
      return { rate: await rateIn(parts) }
    case 'phone': {
      const { phone } = unread
      const step = await question(`number ${phone}`)
      const isOpen = await shownOr(ledger, step, shownOpened, () => isCustomer(phone))
      return { opened: new Map(context.opened).set(phone, isOpen) }
    }
    case 'code': {
      const { code } = unread
      const step = await question(`wallet code ${code}`)
      const take = () => walletCodes.take(code, step.account)
      return {
        codes: new Map(context.codes).set(code, await shownOr(ledger, step, shownCode, take)),
      }
    }
    case 'till': {
      const step = await question(`till ${unread.till}`)
      const find = async () => {
        const till = await ledger.findTill(unread.till)
        return till === undefined || isAddressEqual(till.account, step.account) ? null : till
      }
      const found = await shownOr(ledger, step, shownTill, find)
      return { tills: new Map(context.tills).set(unread.till, found) }
    }
    // If no list was shown first, a digit never means a recipient in this session.
    case 'recipients':
      return {
        known: (await keepShown(ledger, await question(listsStep), shownRecipients, [])) ?? [],
      }
    case 'wallets':
      return {
        wallets: (await keepShown(ledger, await question(listsStep), shownWallets, [])) ?? [],
      }
  }
}

/** Maps the PINs of a delivery to their stand-ins in storage. */
async function standInsFor(pins: Pins, { account, session }: Question, answers: readonly string[]) {
  const typed = answers.map(meant).filter(isPin)
  const standIn = async (pin: string) => pinMark + (await pins.digest(account, session, pin))
  const pairs = typed.map(async (pin) => [pin, await standIn(pin)] as const)
  return new Map(await Promise.all(pairs))
}

/** Sets a PIN once, in an undecided session that then continues with what was dialled. */
async function hasSetPin({ pins, ledger, question }: SessionOptions, pin: string) {
  const step = await question('new PIN')
  return await shownOr(ledger, step, shownPinSet, async () => {
    const isOpen = (await ledger.lookup(step)).kind === 'undecided'
    return isOpen && (await pins?.choose(step.account, pin, step.session)) === 'done'
  })
}

/** Finds where a session starts: a new caller chooses a PIN first, and what was dialled waits. */
async function findStart({ ledger, question }: SessionOptions, pins: Pins, dialled: number) {
  const first = await question('')
  const begun = await shownOr(ledger, first, sessionStart, async () => {
    if (!(await pins.begin(first.account)).hasToChoose) return 'main'
    return dialled === 0 || dialled >= maxAnswers ? 'newPin' : { waiting: dialled }
  })
  return typeof begun === 'object' ? { start: 'newPin', ...begun } : { start: begun }
}
