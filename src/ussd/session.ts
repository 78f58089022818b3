import type { PhoneNumber } from '../account/phone.ts'
import type { Pins, PinVerdict } from '../account/pin.ts'
import type { Ledger } from '../relay/ledger/port.ts'
import { type Asked, stepOf } from './asked.ts'
import type { MenuContext } from './menu/node.ts'
import { follow } from './menu/walk.ts'
import {
  keepShown,
  pinVerdict,
  recipientsStep,
  sessionStart,
  shownOpened,
  shownOr,
  shownRecipients,
} from './shown.ts'

export type Read = Awaited<ReturnType<typeof readSession>>

export type SessionOptions = {
  context: MenuContext
  pins: Pins | undefined
  ledger: Pick<Ledger, 'show' | 'shown'>
  question: Asked['question']
  isCustomer: (phone: PhoneNumber) => Promise<boolean>
}

/** Reads a session's answers, each as the first delivery that had it. @throws {Error} no answer */
export async function readSession(parts: SessionOptions, answers: readonly string[]) {
  const { pins, question, ledger, isCustomer } = parts
  let context: MenuContext = { ...parts.context, opened: new Map() }
  const verdicts = new Map<number, PinVerdict>()
  const start = pins === undefined ? 'main' : await startOf(parts, pins)
  let authorizedBy: string | undefined
  for (;;) {
    const { result, shown, or } = follow(answers, context, { start, verdicts })
    if (result.kind === 'unread' && result.phone !== undefined) {
      const { phone } = result
      const step = await question(`number ${phone}`)
      const isOpen = await shownOr(ledger, step, shownOpened, () => isCustomer(phone))
      context = { ...context, opened: new Map(context.opened).set(phone, isOpen) }
    } else if (result.kind === 'unread') {
      if (context.known !== undefined) throw new Error('a digit has no meaning')
      // Where no list was shown first, a digit stands for nobody, for good.
      const known = await keepShown(ledger, await question(recipientsStep), shownRecipients, [])
      context = { ...context, known: known ?? [] }
    } else if (result.kind === 'unjudged') {
      if (pins === undefined) throw new Error('a PIN is asked for where there are none')
      const { pin, steps } = result
      const step = await question(stepOf(shown.slice(0, steps)))
      const name = `${step.session}:${step.input}`
      const verify = () => pins.verify(step.account, pin, name)
      const verdict = await shownOr(ledger, step, pinVerdict, verify)
      verdicts.set(steps, verdict)
      if (verdict.kind === 'right') authorizedBy = name
    } else return { result, answers: pins === undefined ? answers : shown, or, authorizedBy }
  }
}

/** Finds where a session begins: without a PIN one is chosen first. */
async function startOf({ ledger, question }: SessionOptions, pins: Pins) {
  const first = await question('')
  return shownOr(ledger, first, sessionStart, async () =>
    (await pins.begin(first.account)).hasToChoose ? 'newPin' : 'main',
  )
}
