import type { Address } from 'viem'
import { type AmountFault, parseAmount } from '../loan/amounts.ts'
import type { Messages } from './messages/texts.ts'
import { parseRecipient, type Recipient, type RecipientRules } from './recipient.ts'

/** What a caller wants to happen: a session has at most one intent. */
export type Intent =
  | { kind: 'transfer'; recipient: Recipient; amountWei: bigint }
  | { kind: 'loan' }
  /** `all`: all that is owed when it executes. */
  | { kind: 'repayment'; amountWei: bigint | 'all' }
  /** Out to an address outside. `all`: all that the account has when it is signed. */
  | { kind: 'cashOut'; to: Address; amountWei: bigint | 'all' }

/** What a session ends with that was answered to its end. */
type Outcome = { kind: 'balance' } | Intent

/** What the text of a session comes to. */
export type MenuResult =
  | { kind: 'ask'; prompt: string }
  | Outcome
  /** Three bad answers. */
  | { kind: 'gave_up' }
  /** Something was typed after the session's last screen. */
  | { kind: 'past_the_end' }

/** What a menu needs to know besides the text. */
export type MenuContext = RecipientRules & {
  say: Messages
  /** What a transfer has to be at least, also as screens show it. */
  least: { wei: bigint; text: string }
}

/** What was answered so far in this session. */
type Draft = { recipient?: Recipient }

/** What an answer leads to: another question, the session's end, or the same question again. */
type Step =
  | { kind: 'go'; to: StateName; draft: Draft }
  | { kind: 'end'; result: Outcome }
  | { kind: 'mistake'; why: string }

type State = {
  prompt: (context: MenuContext) => string
  /** Where a bare `0` leads. */
  back?: StateName
  answer: (typed: string, draft: Draft, context: MenuContext) => Step
}

type StateName = 'main' | 'recipient' | 'amount' | 'repay' | 'repayAmount'

const maxMistakes = 3

const states: Readonly<Record<StateName, State>> = {
  main: {
    prompt: ({ say, caller }) => say.mainMenu(caller),
    answer: (typed, draft, { say }) => {
      switch (typed) {
        case '1':
          return { kind: 'end', result: { kind: 'balance' } }
        case '2':
          return { kind: 'go', to: 'recipient', draft }
        case '3':
          return { kind: 'end', result: { kind: 'loan' } }
        case '4':
          return { kind: 'go', to: 'repay', draft }
        default:
          return { kind: 'mistake', why: say.unknownChoice }
      }
    },
  },
  recipient: {
    prompt: ({ say }) => say.enterRecipient,
    back: 'main',
    answer: (typed, draft, context) => {
      const recipient = parseRecipient(typed, context)
      return recipient === undefined
        ? { kind: 'mistake', why: context.say.badRecipient }
        : { kind: 'go', to: 'amount', draft: { ...draft, recipient } }
    },
  },
  amount: {
    prompt: ({ say }) => say.enterAmount,
    back: 'recipient',
    answer: (typed, { recipient }, { say, least }) =>
      amountStep(typed, say.badAmount, (amountWei) => {
        if (recipient === undefined) return { kind: 'go', to: 'recipient', draft: {} }
        if (amountWei < least.wei) return { kind: 'mistake', why: say.tooLittle(least.text) }
        return { kind: 'end', result: { kind: 'transfer', recipient, amountWei } }
      }),
  },
  repay: {
    prompt: ({ say }) => say.repayMenu,
    back: 'main',
    answer: (typed, draft, { say }) => {
      switch (typed) {
        case '1':
          return { kind: 'end', result: { kind: 'repayment', amountWei: 'all' } }
        case '2':
          return { kind: 'go', to: 'repayAmount', draft }
        default:
          return { kind: 'mistake', why: say.unknownChoice }
      }
    },
  },
  repayAmount: {
    prompt: ({ say }) => say.enterAmount,
    back: 'repay',
    answer: (typed, _draft, { say }) =>
      amountStep(typed, say.badAmount, (amountWei) => ({
        kind: 'end',
        result: { kind: 'repayment', amountWei },
      })),
  },
}

/** The answers in a gateway's `text`: none on the first dial. */
export function answersOf(text: string): string[] {
  return text === '' ? [] : text.split('*')
}

/**
 * Where the answers of a session lead. The same answers always lead to the same place: what depends
 * on the chain is decided elsewhere, so that a later delivery never reads a text another way.
 */
export function walk(answers: readonly string[], context: MenuContext): MenuResult {
  let name: StateName = 'main'
  let draft: Draft = {}
  let mistakes = 0
  let why: string | undefined
  let result: Outcome | undefined
  for (const typed of answers) {
    if (result !== undefined || mistakes === maxMistakes) return { kind: 'past_the_end' }
    const state: State = states[name]
    why = undefined
    if (typed.trim() === '0' && state.back !== undefined) {
      name = state.back
      continue
    }
    const step = state.answer(typed.trim(), draft, context)
    switch (step.kind) {
      case 'go':
        name = step.to
        draft = step.draft
        break
      case 'end':
        result = step.result
        break
      case 'mistake':
        mistakes += 1
        why = step.why
        break
    }
  }
  if (result !== undefined) return result
  if (mistakes === maxMistakes) return { kind: 'gave_up' }
  const prompt = states[name].prompt(context)
  return { kind: 'ask', prompt: why === undefined ? prompt : `${why}\n${prompt}` }
}

function amountStep(
  typed: string,
  badAmount: (fault: AmountFault) => string,
  next: (amountWei: bigint) => Step,
): Step {
  const parsed = parseAmount(typed)
  return parsed.kind === 'amount'
    ? next(parsed.wei)
    : { kind: 'mistake', why: badAmount(parsed.fault) }
}
