import { isKeptPin, isPin } from '../../account/pin.ts'
import { type AmountFault, parseAmount } from '../../loan/amounts.ts'
import {
  answered,
  type Entry,
  type Given,
  given,
  type Label,
  type List,
  type MenuContext,
  type MenuNode,
  type MenuQuestion,
  type MenuSettings,
  mistake,
  type NodeName,
  type SessionDraft,
  type Words,
} from './node.ts'

export const askAmount = (
  leads: Pick<MenuQuestion, 'leads' | 'next'>,
  back: NodeName,
): MenuQuestion => ({
  kind: 'question',
  prompt: ({ say, recipientOf }, { recipient }) =>
    say.enterAmount(recipientOf(answered(recipient))),
  answer: atLeast,
  ...leads,
  back,
})

function atLeast(typed: string, { say, least }: MenuContext): Given {
  const read = amountIn(typed, say.badAmount)
  const amount = read.kind === 'given' ? read.draft.amountWei : undefined
  const isLess = typeof amount === 'bigint' && amount < least.wei
  return isLess ? mistake(say.tooLittle(least.text)) : read
}

/** Is typed for all that there is, in any language: screens round down, so no number says it. */
const allWords: readonly string[] = ['all', 'zote', 'tout', 'todo']

export function amountIn(typed: string, badAmount: Readonly<Record<AmountFault, string>>): Given {
  if (allWords.includes(typed.toLowerCase())) return given({ amountWei: 'all' })
  const parsed = parseAmount(typed)
  return parsed.kind === 'amount'
    ? given({ amountWei: parsed.wei })
    : mistake(badAmount[parsed.fault])
}

/** Shows what is sent to whom: `all` is the whole balance. */
export function shownTransfer(of: MenuContext, draft: SessionDraft): [amount: string, to: string] {
  const amount = answered(draft.amountWei)
  return [
    amount === 'all' ? amount : of.amountOf(amount),
    of.recipientOf(answered(draft.recipient)),
  ]
}

/** Asks whether an equal payment is meant once more, by another digit than leads here. */
export const askAgain = (
  entry: Pick<Entry, 'digit' | 'leads'>,
  back: Pick<List, 'back' | 'backLabel'>,
): List => ({
  facts: ['earlierMinutes'],
  kind: 'list',
  title: (context, draft, { earlierMinutes }) =>
    context.say.repeated(...shownTransfer(context, draft), earlierMinutes),
  entries: [{ ...entry, label: ({ sendAgain }) => sendAgain }],
  ...back,
})

/** Has the PIN confirm a list of one intent, in the place of its digit. */
export function confirmedBy(pin: MenuSettings['pin'], enterPin: Label, list: List): MenuNode {
  const [entry] = list.entries
  return pin === 'off' || entry === undefined ? list : pinFor(enterPin, { ...list, ...entry })
}

type PinPlace = Pick<Entry, 'leads' | 'orAsks'> &
  Partial<Pick<List, 'title' | 'again' | 'back' | 'backLabel' | 'facts' | 'leadsToPay'>>

/** Asks for the caller's PIN, below what it is for; `again`: in fewer words, below why. */
export function pinFor(enterPin: Label, place: PinPlace): MenuQuestion {
  const { title, again, leads, orAsks, back = 'main', backLabel, facts, leadsToPay } = place
  const below =
    (words: Words | undefined): Words =>
    (context, draft, read) => {
      const { say } = context
      const above = words === undefined ? [] : [words(context, draft, read)]
      return [...above, enterPin(say), `0. ${backLabel?.(say) ?? say.back}`].join('\n')
    }
  return {
    kind: 'question',
    secret: 'own',
    prompt: below(title),
    answer: (typed, { say }) =>
      isPin(typed) || isKeptPin(typed) ? given({}) : mistake(say.pin.form),
    leads: [leads],
    back,
    ...(again && { again: below(again) }),
    ...(orAsks && { orAsks }),
    ...(facts && { facts }),
    ...(leadsToPay && { leadsToPay }),
  }
}
