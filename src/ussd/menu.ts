import { type AmountFault, parseAmount } from '../loan/amounts.ts'
import type { Intent } from './intent.ts'
import type { Labels, Messages } from './messages/texts.ts'
import { parseRecipient, type Recipient, type RecipientRules } from './recipient.ts'

/** What a session ends with that was answered to its end. */
export type Outcome = { kind: 'balance' } | Intent

/** What a menu needs to know besides the text. */
export type MenuContext = RecipientRules & {
  say: Messages
  /** What a transfer has to be at least, also as screens show it. */
  least: { wei: bigint; text: string }
}

/** What was answered so far in this session. */
export type Draft = { recipient?: Recipient; amountWei?: bigint | 'all' }

/** A place in the menu: a list to choose from, or a question to answer in one's own words. */
export type Node = List | Question

export type List = {
  kind: 'list'
  title: (context: MenuContext, draft: Draft) => string
  entries: readonly Entry[]
  /** Where a bare `0` leads. */
  back?: NodeName
}

/** One line of a list. Digit and label stand here together, and nowhere else. */
export type Entry = { digit: string; label: keyof Labels; leads: Destination }

export type Question = {
  kind: 'question'
  prompt: (context: MenuContext, draft: Draft) => string
  answer: (typed: string, context: MenuContext) => Given
  leads: Destination
  back: NodeName
}

/** What an answer adds to the draft, or why it is none. */
export type Given = { kind: 'given'; draft: Draft } | { kind: 'mistake'; why: string }

export type Destination = NodeName | EffectName

export type NodeName = 'main' | 'recipient' | 'amount' | 'repay' | 'repayAmount'

export type EffectName = 'balance' | 'transfer' | 'loan' | 'repayAll' | 'repayPart'

/** What ends a session, made of what was answered before. */
export const effects: Readonly<Record<EffectName, (draft: Draft) => Outcome>> = {
  balance: () => ({ kind: 'balance' }),
  transfer: (draft) => ({
    kind: 'transfer',
    recipient: answered(draft.recipient),
    amountWei: answered(draft.amountWei),
  }),
  loan: () => ({ kind: 'loan' }),
  repayAll: () => ({ kind: 'repayment', amountWei: 'all' }),
  repayPart: (draft) => ({ kind: 'repayment', amountWei: answered(draft.amountWei) }),
}

/** The whole menu. What is here and nothing else makes the flow, its drawing and what its tests walk through. */
export const menu: Readonly<Record<NodeName, Node>> = {
  main: {
    kind: 'list',
    title: ({ say, caller }) => say.mainTitle(caller),
    entries: [
      { digit: '1', label: 'balance', leads: 'balance' },
      { digit: '2', label: 'send', leads: 'recipient' },
      { digit: '3', label: 'borrow', leads: 'loan' },
      { digit: '4', label: 'repay', leads: 'repay' },
    ],
  },
  recipient: {
    kind: 'question',
    prompt: ({ say }) => say.enterRecipient,
    answer: (typed, context) => {
      const parsed = parseRecipient(typed, context)
      return parsed.kind === 'recipient'
        ? { kind: 'given', draft: { recipient: parsed.recipient } }
        : { kind: 'mistake', why: context.say.badRecipient(parsed.fault) }
    },
    leads: 'amount',
    back: 'main',
  },
  amount: {
    kind: 'question',
    prompt: ({ say }) => say.enterAmount,
    answer: (typed, { say, least }) => {
      const given = amountIn(typed, say.badAmount)
      const amount = given.kind === 'given' ? given.draft.amountWei : undefined
      const isLess = typeof amount === 'bigint' && amount < least.wei
      return isLess ? { kind: 'mistake', why: say.tooLittle(least.text) } : given
    },
    leads: 'transfer',
    back: 'recipient',
  },
  repay: {
    kind: 'list',
    title: ({ say }) => say.repayTitle,
    entries: [
      { digit: '1', label: 'all', leads: 'repayAll' },
      { digit: '2', label: 'part', leads: 'repayAmount' },
    ],
    back: 'main',
  },
  repayAmount: {
    kind: 'question',
    prompt: ({ say }) => say.enterAmount,
    answer: (typed, { say }) => amountIn(typed, say.badAmount),
    leads: 'repayPart',
    back: 'repay',
  },
}

export const isEffect = (destination: Destination): destination is EffectName =>
  destination in effects

/** What is typed for all that there is: screens round down, so no number says it. */
const allWord = 'all'

function amountIn(typed: string, badAmount: (fault: AmountFault) => string): Given {
  if (typed.toLowerCase() === allWord) return { kind: 'given', draft: { amountWei: 'all' } }
  const parsed = parseAmount(typed)
  return parsed.kind === 'amount'
    ? { kind: 'given', draft: { amountWei: parsed.wei } }
    : { kind: 'mistake', why: badAmount(parsed.fault) }
}

/** A part of the draft that the way to an effect has asked for. */
function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('an effect of the menu is reached without its answers')
  return value
}
