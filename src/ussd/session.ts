import type { Address } from 'viem'
import type { Pins, PinVerdict } from '../account/pin.ts'
import type { Ledger, Question } from '../relay/ledger/port.ts'
import type { MenuContext } from './menu.ts'
import { keepShown, pinVerdict, sessionStart, shownAt } from './shown.ts'
import { type Known, type MenuResult, walk, withoutSecrets } from './walk.ts'

/** A session as far as it was answered: where that leads, and what of it may be named by a digest. */
export type Read = { result: MenuResult; text: string }

export type SessionParts = {
  context: MenuContext
  ledger: Pick<Ledger, 'show' | 'shown'>
  /** Names the session, and a text of it, by keyed digests. */
  question: (account: Address, text: string) => Promise<Question>
  account: () => Promise<Address>
}

/** Without PINs nothing is kept of a session to read it, and nothing is asked for. */
export function readSession(answers: readonly string[], context: MenuContext): Read {
  return { result: walk(answers, context), text: answers.join('*') }
}

/**
 * The same where there are PINs. A session begins where its first delivery began it, and a PIN is what it was
 * judged first: whatever is changed since, a later delivery is read as the one before.
 *
 * @throws {Error} the ledger or the account's memory gave no answer
 */
export async function readSessionWithPins(
  parts: SessionParts,
  pins: Pins,
  answers: readonly string[],
): Promise<Read> {
  const { context } = parts
  const account = await parts.account()
  const verdicts = new Map<number, PinVerdict>()
  const known: Known = { start: await startOf(parts, pins, account), verdicts }
  for (;;) {
    const result = walk(answers, context, known)
    const shown = withoutSecrets(answers, context, known)
    if (result.kind !== 'unjudged') return { result, text: shown.join('*') }
    const { steps, pin } = result
    const question = await parts.question(account, shown.slice(0, steps).join('*'))
    verdicts.set(steps, await verdictOf(parts, pins, question, pin))
  }
}

async function startOf(
  { ledger, question }: SessionParts,
  pins: Pins,
  account: Address,
): Promise<Known['start']> {
  const first = await question(account, '')
  const known = await shownAt(ledger, first, sessionStart)
  if (known !== undefined) return known
  const { hasToChoose } = await pins.begin(account)
  const start = hasToChoose ? 'newPin' : 'main'
  return (await keepShown(ledger, first, sessionStart, start)) ?? start
}

/** Counted by the account's memory, once for its step; kept by the ledger for as long as the session may be delivered again. */
async function verdictOf(
  { ledger }: SessionParts,
  pins: Pins,
  question: Question,
  pin: string,
): Promise<PinVerdict> {
  const known = await shownAt(ledger, question, pinVerdict)
  if (known !== undefined) return known
  const verdict = await pins.verify(question.account, pin, `${question.session}:${question.input}`)
  return (await keepShown(ledger, question, pinVerdict, verdict)) ?? verdict
}
