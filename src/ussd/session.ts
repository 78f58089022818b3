import type { PhoneNumber } from '../account/phone.ts'
import type { Pins, PinVerdict } from '../account/pin.ts'
import type { Ledger, Question } from '../relay/ledger/port.ts'
import { type Asked, stepOf } from './asked.ts'
import type { MenuContext } from './menu/node.ts'
import { follow, type MenuResult, type Place } from './menu/walk.ts'
import type { KnownRecipient } from './recipient.ts'
import {
  keepShown,
  pinVerdict,
  recipientsStep,
  sessionStart,
  shownAt,
  shownOpened,
  shownRecipients,
} from './shown.ts'

export type Read = {
  result: Exclude<MenuResult, { kind: 'unread' | 'unjudged' }>
  /** Holds nothing that is secret. */
  answers: readonly string[]
  /** Is asked instead where the ledger knows something that the caller should. */
  or: Place | undefined
  /** Names the step of the last right PIN: what it led to asks whether it still authorizes. */
  authorizedBy: string | undefined
}

export type SessionOptions = {
  context: MenuContext
  /** Is undefined where no PIN is asked for. */
  pins: Pins | undefined
  ledger: Pick<Ledger, 'show' | 'shown'>
  question: Asked['question']
  isCustomer: (phone: PhoneNumber) => Promise<boolean>
}

/** Reads a session's answers, each as the first delivery that had it. @throws {Error} no answer */
export async function readSession(
  parts: SessionOptions,
  answers: readonly string[],
): Promise<Read> {
  const { pins, question } = parts
  let context: MenuContext = { ...parts.context, opened: new Map() }
  const verdicts = new Map<number, PinVerdict>()
  const start = pins === undefined ? 'main' : await startOf(parts, pins)
  let authorizedBy: string | undefined
  for (;;) {
    const { result, shown, or } = follow(answers, context, { start, verdicts })
    switch (result.kind) {
      case 'unread':
        if (result.phone !== undefined) {
          const isOpen = await isOpenFor(parts, result.phone)
          context = { ...context, opened: new Map(context.opened).set(result.phone, isOpen) }
          break
        }
        if (context.known !== undefined) throw new Error('a digit has no meaning')
        context = { ...context, known: await knownOf(parts) }
        break
      case 'unjudged': {
        if (pins === undefined) throw new Error('a PIN is asked for where there are none')
        const step = await question(stepOf(shown.slice(0, result.steps)))
        const name = `${step.session}:${step.input}`
        const verdict = await verdictOf(parts, pins, step, name, result.pin)
        verdicts.set(result.steps, verdict)
        if (verdict.kind === 'right') authorizedBy = name
        break
      }
      default:
        return { result, answers: pins === undefined ? answers : shown, or, authorizedBy }
    }
  }
}

/** Says of a number that no plan knows what was said first in this session. */
async function isOpenFor(
  { ledger, question, isCustomer }: SessionOptions,
  phone: PhoneNumber,
): Promise<boolean> {
  const step = await question(`number ${phone}`)
  const known = await shownAt(ledger, step, shownOpened)
  if (known !== undefined) return known
  const isOpen = await isCustomer(phone)
  return (await keepShown(ledger, step, shownOpened, isOpen)) ?? isOpen
}

/** Has a digit stand for nobody, for good, where no list was shown first. */
async function knownOf({ ledger, question }: SessionOptions): Promise<KnownRecipient[]> {
  const session = await question(recipientsStep)
  return (await keepShown(ledger, session, shownRecipients, [])) ?? []
}

async function startOf(
  { ledger, question }: SessionOptions,
  pins: Pins,
): Promise<'main' | 'newPin'> {
  const first = await question('')
  const known = await shownAt(ledger, first, sessionStart)
  if (known !== undefined) return known
  const { hasToChoose } = await pins.begin(first.account)
  const start = hasToChoose ? 'newPin' : 'main'
  return (await keepShown(ledger, first, sessionStart, start)) ?? start
}

/** Judges a PIN once for its step, and has the ledger keep the verdict. */
async function verdictOf(
  { ledger }: SessionOptions,
  pins: Pins,
  question: Question,
  step: string,
  pin: string,
): Promise<PinVerdict> {
  const known = await shownAt(ledger, question, pinVerdict)
  if (known !== undefined) return known
  const verdict = await pins.verify(question.account, pin, step)
  return (await keepShown(ledger, question, pinVerdict, verdict)) ?? verdict
}
