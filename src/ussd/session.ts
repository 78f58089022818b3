import type { PhoneNumber } from '../account/phone.ts'
import type { Pins, PinVerdict } from '../account/pin.ts'
import type { WalletCodes } from '../account/wallets.ts'
import type { Ledger } from '../relay/ledger/port.ts'
import { type Asked, stepOf } from './asked.ts'
import type { MenuContext, UnreadAnswer } from './menu/node.ts'
import { follow, maxAnswers } from './menu/walk.ts'
import {
  keepShown,
  listsStep,
  pinVerdict,
  sessionStart,
  shownCode,
  shownOpened,
  shownOr,
  shownPinSet,
  shownRecipients,
  shownWallets,
} from './shown.ts'

export type Read = Awaited<ReturnType<typeof readSession>>

export type SessionOptions = {
  context: MenuContext
  pins: Pins | undefined
  ledger: Pick<Ledger, 'show' | 'shown' | 'lookup'>
  question: Asked['question']
  isCustomer: (phone: PhoneNumber) => Promise<boolean>
  walletCodes: Pick<WalletCodes, 'take'>
}

/** Reads a session's answers, each as the first delivery that had it. @throws {Error} no answer */
export async function readSession(parts: SessionOptions, answers: readonly string[]) {
  const { pins, question, ledger } = parts
  let context: MenuContext = { ...parts.context, opened: new Map() }
  const verdicts = new Map<number, PinVerdict>()
  const begun = pins === undefined ? { start: 'main' } : await startOf(parts, pins, answers.length)
  const waits = 'waiting' in begun
  let isPinSet = false
  let authorizedBy: string | undefined
  for (;;) {
    const { result, shown, or } = follow(answers, context, { ...begun, verdicts, isPinSet })
    if (result.kind === 'unread') {
      context = { ...context, ...(await meaningOf(parts, result, context)) }
    } else if (result.kind === 'unjudged') {
      if (pins === undefined) throw new Error('a PIN is asked for where there are none')
      const { pin, steps } = result
      const step = await question(stepOf(shown.slice(0, steps)))
      const name = `${step.session}:${step.input}`
      const verify = () => pins.verify(step.account, pin, name)
      const verdict = await shownOr(ledger, step, pinVerdict, verify)
      verdicts.set(steps, verdict)
      if (verdict.kind === 'right') authorizedBy = name
    } else if (result.kind === 'choosePin' && waits && !isPinSet) {
      isPinSet = await hasSetPin(parts, result.pin)
      if (!isPinSet) return { result, answers: shown, or, authorizedBy }
    } else return { result, answers: pins === undefined ? answers : shown, or, authorizedBy }
  }
}

/** Reads what an answer means, as the first delivery that had it: another time it may be another. */
async function meaningOf(
  { ledger, question, isCustomer, walletCodes }: SessionOptions,
  unread: UnreadAnswer,
  context: MenuContext,
): Promise<Partial<MenuContext>> {
  switch (unread.of) {
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
    // Where no list was shown first, a digit stands for nobody, for good.
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

/** Sets a PIN, once, in a session that is undecided and goes on with what was dialled. */
async function hasSetPin({ pins, ledger, question }: SessionOptions, pin: string) {
  const step = await question('new PIN')
  return await shownOr(ledger, step, shownPinSet, async () => {
    const isOpen = (await ledger.lookup(step)).kind === 'undecided'
    return isOpen && (await pins?.choose(step.account, pin, step.session)) === 'done'
  })
}

/** Finds where a session begins: without a PIN one is chosen first, and what was dialled waits. */
async function startOf({ ledger, question }: SessionOptions, pins: Pins, dialled: number) {
  const first = await question('')
  const begun = await shownOr(ledger, first, sessionStart, async () => {
    if (!(await pins.begin(first.account)).hasToChoose) return 'main'
    return dialled === 0 || dialled >= maxAnswers ? 'newPin' : { waiting: dialled }
  })
  return typeof begun === 'object' ? { start: 'newPin', ...begun } : { start: begun }
}
