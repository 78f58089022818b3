import { isTill } from '../../account/check-digit.ts'
import { isKeptPin, isPin } from '../../account/pin.ts'
import { parseAmount } from '../../loan/amounts.ts'
import { formatWorth, formatWorthUp } from '../../loan/local-worth.ts'
import type { TillKind } from '../../relay/ledger/port.ts'
import type { FactName, Facts } from '../facts.ts'
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
  settings: MenuSettings,
  leads: Pick<MenuQuestion, 'leads' | 'next'>,
  back: NodeName,
): MenuQuestion => ({
  ...inLocal(settings, ({ say, describeRecipient: recipientOf }, { recipient }) =>
    say.enterAmount(recipientOf(answered(recipient))),
  ),
  kind: 'question',
  answer: atLeast,
  ...leads,
  back,
})

/** Lists the rate as a needed fact if amounts are shown in a local currency. */
export const listRateFacts = ({ localCurrency }: MenuSettings): readonly FactName[] =>
  localCurrency === undefined ? [] : ['rate']

/** Adds the currency of the typed amount above a prompt. */
export function inLocal(settings: MenuSettings, prompt: Words) {
  const { localCurrency: local } = settings
  if (local === undefined) return { prompt }
  const below =
    (above: (context: MenuContext, rate: Facts['rate']) => string): Words =>
    (context, draft, facts) =>
      `${above(context, facts.rate)}\n${prompt(context, draft, facts)}`
  return {
    facts: listRateFacts(settings),
    prompt: below(({ say, currency }, rate) =>
      rate === 'none'
        ? `${say.noRate(local)} ${say.amountsIn(currency)}`
        : say.amountsIn(`${local}: 1 ${currency} = ${formatWorth(oneCoin, rate)}`),
    ),
    again: below(({ say, currency }, rate) => say.amountsIn(rate === 'none' ? currency : local)),
  }
}

const oneCoin = 10n ** 18n

/** Returns a line with an amount's local value, if there is a fresh rate. */
export function worthLines(
  { say }: MenuContext,
  amountWei: bigint | 'all',
  { rate }: Partial<Facts>,
) {
  if (rate === undefined || rate === 'none' || amountWei === 'all') return []
  const worth = formatWorth(amountWei, rate)
  return worth === undefined ? [] : [say.about(worth)]
}

function atLeast(typed: string, context: MenuContext): Given {
  const { say, least, rate } = context
  const read = amountIn(typed, context)
  const amount = read.kind === 'given' ? read.draft.amountWei : undefined
  const isLess = typeof amount === 'bigint' && amount < least.wei
  const isLocal = rate !== undefined && rate !== 'none'
  return isLess
    ? mistake(say.tooLittle(isLocal ? formatWorthUp(least.wei, rate) : least.text))
    : read
}

/** Lists the words for the whole balance; screens round down, so no number can name it. */
const allWords: readonly string[] = ['all', 'zote', 'tout', 'todo']

export function amountIn(typed: string, { say, rate }: MenuContext): Given {
  if (allWords.includes(typed.toLowerCase())) return given({ amountWei: 'all' })
  if (rate === undefined) return { kind: 'unread', of: 'rate' }
  const parsed = parseAmount(typed, rate === 'none' ? undefined : rate.micros)
  return parsed.kind === 'amount'
    ? given({ amountWei: parsed.wei })
    : mistake(say.badAmount[parsed.fault])
}

/** Reads a till's number; with `kind`, only a till of that kind. */
export function tillFrom(
  typed: string,
  { tills }: MenuContext,
  nobody: string,
  kind?: TillKind,
): Given {
  const till = tills?.get(typed)
  if (till === undefined && isTill(typed)) return { kind: 'unread', of: 'till', till: typed }
  if (!till || till.kind !== (kind ?? till.kind)) return mistake(nobody)
  const { account: address, name } = till
  const isBill = till.kind === 'bill'
  const recipient = { kind: 'till', address, label: `${till.till} ${name}`, isBill } as const
  // The reference belonged to another bill.
  return given({ recipient, reference: undefined })
}

/** Formats amount and recipient of a transfer; `all` is the whole balance. */
export function shownTransfer(of: MenuContext, draft: SessionDraft): [amount: string, to: string] {
  const amount = answered(draft.amountWei)
  return [
    amount === 'all' ? amount : of.showAmount(amount),
    of.describeRecipient(answered(draft.recipient)),
  ]
}

/** Asks whether the caller wants an equal payment again; its digit differs from the one before. */
export const askAgain = (
  settings: MenuSettings,
  entry: Pick<Entry, 'digit' | 'leads'>,
  back: Pick<List, 'back' | 'backLabel'>,
): List => ({
  facts: ['earlierMinutes', ...listRateFacts(settings)],
  kind: 'list',
  title(context, draft, { earlierMinutes, ...facts }) {
    const asked = context.say.repeated(...shownTransfer(context, draft), earlierMinutes)
    const [sent = '', ...rest] = asked.split('\n')
    return [sent, ...worthLines(context, answered(draft.amountWei), facts), ...rest].join('\n')
  },
  entries: [{ ...entry, label: ({ sendAgain }) => sendAgain }],
  ...back,
})

/** Lets the PIN confirm an intent in place of a digit. */
export function confirmedBy(pin: MenuSettings['pin'], enterPin: Label, list: List): MenuNode {
  const [entry] = list.entries
  return pin === 'off' || entry === undefined ? list : pinFor(enterPin, { ...list, ...entry })
}

type PinPlace = Pick<Entry, 'leads' | 'orAsks'> &
  Partial<Pick<List, 'title' | 'again' | 'back' | 'backLabel' | 'facts' | 'leadsToPay'>>

/** Asks for the caller's PIN below its purpose; `again` is the shorter text after a mistake. */
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
