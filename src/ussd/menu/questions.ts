import { isTillNumber } from '../../account/check-digit.ts'
import { isMaskedPin, isPin } from '../../account/pin.ts'
import { formatExactly, parseAmount } from '../../loan/amounts.ts'
import { agreeToCents, formatLocal, formatPrice, formatWorthUp } from '../../loan/local-worth.ts'
import type { Till } from '../../operator/kept/tills.ts'
import { isOwnAccount } from '../recipient.ts'
import type { ScreenFactName, ScreenFacts } from '../screen-facts.ts'
import { formatPaid } from '../screens/amount-formats.ts'
import {
  type AnswerResult,
  acceptAmount,
  acceptAnswer,
  type Effect,
  type Entry,
  type Label,
  type MenuContext,
  type MenuList,
  type MenuNode,
  type MenuQuestion,
  type MenuSettings,
  type NodeName,
  need,
  type QuestionTargets,
  rejectAnswer,
  requireAnswer,
  type SessionDraft,
  type Walking,
  type WriteText,
} from './node.ts'

/** Creates the question for the amount of a transfer, with the names of recipient and currency. */
export const createAmountQuestion = (
  settings: MenuSettings,
  targets: QuestionTargets,
  back: NodeName,
): MenuQuestion => ({
  ...addCurrencyLine(settings, ({ messages, describeRecipient }, { recipient }) =>
    messages.enterAmount(describeRecipient(requireAnswer(recipient))),
  ),
  kind: 'question',
  asksAmount: true,
  parseAnswer: (typed, context) => parseAmountAnswer(typed, context, context.minTransferWei),
  ...targets,
  back,
})

/** Lists the exchange rate as a needed fact if amounts are shown in a local currency. */
export const listRateFacts = ({ localCurrency }: MenuSettings): readonly ScreenFactName[] =>
  localCurrency === undefined ? [] : ['rate']

/** Adds a line above a prompt, which names the currency of typed amounts. */
export function addCurrencyLine(
  settings: MenuSettings,
  prompt: WriteText,
): Pick<MenuQuestion, 'prompt' | 'retryText' | 'facts'> {
  const { localCurrency } = settings
  if (localCurrency === undefined) return { prompt }
  const addLine =
    (writeLine: (context: MenuContext, rate: ScreenFacts['rate']) => string): WriteText =>
    (context, draft, facts) =>
      `${writeLine(context, facts.rate)}\n${prompt(context, draft, facts)}`
  return {
    facts: listRateFacts(settings),
    prompt: addLine(({ messages, unit }, rate) =>
      rate === 'none'
        ? messages.amountsNotIn(localCurrency, unit.symbol)
        : messages.amountsIn(`${localCurrency}: 1 ${unit.symbol} = ${formatPrice(rate)}`),
    ),
    retryText: addLine(({ messages, unit }, rate) =>
      messages.amountsIn(rate === 'none' ? unit.symbol : localCurrency),
    ),
  }
}

/** Lists the words for all: screens round a balance down, so no typed number can mean all of it. */
const wholeAmountWords: readonly string[] = ['all', 'zote', 'tout', 'todo']

/** Parses an amount of at least `minWei`, typed in the local currency if there is a rate. */
export function* parseAmountAnswer(
  typed: string,
  { messages, unit }: MenuContext,
  minWei: bigint,
  writeTooLittle = messages.tooLittle,
): Walking<AnswerResult> {
  if (wholeAmountWords.includes(typed.toLowerCase())) return acceptAmount('all')
  const rate = yield* need('rate')
  const isLocal = rate !== 'none'
  const parsed = parseAmount(typed, unit, isLocal ? rate.micros : undefined)
  if (parsed.kind === 'fault') {
    const isExampleLocal = isLocal && parsed.fault === 'not_a_number'
    return rejectAnswer(messages.badAmount[isExampleLocal ? 'not_local' : parsed.fault])
  }
  const { wei, cents } = parsed
  const agreed = isLocal && cents !== undefined ? agreeToCents(cents, rate) : undefined
  if (wei >= minWei) return acceptAmount(wei, agreed)
  return rejectAnswer(
    writeTooLittle(
      // Not rounded down, because a smaller amount is refused.
      (isLocal ? formatWorthUp(minWei, unit, rate) : undefined) ??
        `${formatExactly(minWei, unit)} ${unit.symbol}`,
    ),
  )
}

/** Accepts the till that a typed number names; with `kind`, only a till of that kind. */
export function* parseTillAnswer(
  typed: string,
  context: MenuContext,
  notFoundText: string,
  kind?: Till['kind'],
): Walking<AnswerResult> {
  const till = isTillNumber(typed) ? yield* need('till', typed) : null
  if (!till || till.kind !== (kind ?? till.kind)) return rejectAnswer(notFoundText)
  const { account: address, name } = till
  if (isOwnAccount(address, context)) return rejectAnswer(context.messages.badRecipient.own_account)
  const isBill = till.kind === 'bill'
  const recipient = { kind: 'till', address, label: `${till.till} ${name}`, isBill } as const
  // A reference typed before belongs to another bill.
  return acceptAnswer({ recipient, reference: undefined, wallet: undefined })
}

/** Formats a transfer: its amount, and its recipient. */
export function formatTransfer(
  context: MenuContext,
  draft: SessionDraft,
  { rate }: Partial<ScreenFacts> = {},
): [amount: string, to: string] {
  const amountWei = requireAnswer(draft.amountWei)
  return [
    amountWei === 'all'
      ? context.messages.allYouHave
      : formatPaid(context, amountWei, draft.agreed, rate),
    context.describeRecipient(requireAnswer(draft.recipient)),
  ]
}

/**
 * Creates the question whether to make an equal payment again. Its digit must differ from the
 * answer before, so that a repeated answer does not pay twice.
 */
export const createRepeatQuestion = (
  settings: MenuSettings,
  target: Effect,
  { digit = '3', ...back }: RepeatOptions = { back: 'main' },
): MenuList => ({
  facts: ['earlier', ...listRateFacts(settings)],
  kind: 'list',
  title(context, { agreed: _, ...draft }, { earlier, ...facts }) {
    const { age, repeated } = context.messages
    const { minutes = undefined, local = undefined } = earlier === 'unknown' ? {} : earlier
    // The payment before was equal in the unit, or in local money at another rate.
    const [amount, to] = formatTransfer(context, draft, facts)
    return repeated(
      local === undefined ? amount : formatLocal(local),
      to,
      minutes === undefined ? minutes : age(minutes),
    )
  },
  entries: [{ digit, target, label: ({ sendAgain }) => sendAgain }],
  ...back,
})

type RepeatOptions = { digit?: string } & Pick<MenuList, 'back' | 'backLabel'>

/** Creates the confirmation of a payment, which a PIN confirms if PINs are on. */
export const createConfirmation = (
  settings: MenuSettings,
  { facts = [], ...options }: Parameters<typeof confirmWithPin>[1],
): MenuNode =>
  confirmWithPin(settings, {
    ...options,
    facts: [...listRateFacts(settings), ...facts],
    backLabel: ({ change }) => change,
  })

type PinQuestionOptions = Pick<Entry, 'target' | 'repeatQuestion'> &
  Partial<
    Pick<MenuList, 'title' | 'retryText' | 'back' | 'backLabel' | 'facts' | 'paymentKind'>
  > & {
    enterPin?: Label
  }

/** Creates a question for the PIN, or a list with one entry if PINs are off. */
export function confirmWithPin(
  settings: MenuSettings,
  options: PinQuestionOptions & Pick<MenuList, 'title'> & { digit?: string } & Pick<Entry, 'label'>,
): MenuNode {
  const { enterPin: _, digit = '1', label, target, repeatQuestion, ...list } = options
  return settings.pin === 'off'
    ? { ...list, kind: 'list', entries: [{ digit, label, target, repeatQuestion }] }
    : createPinQuestion({ enterPin: ({ pin }) => pin.enter.confirm, ...options })
}

/** Creates a question for the caller's PIN, below the title that says what the PIN is for. */
export function createPinQuestion(options: PinQuestionOptions): MenuQuestion {
  const { title, retryText, target, repeatQuestion } = options
  const { back = 'main', backLabel, facts, paymentKind } = options
  const { enterPin = ({ pin }) => pin.enter.see } = options
  const addPrompt =
    (writeTitle: WriteText | undefined): WriteText =>
    (context, draft, screenFacts) => {
      const { messages } = context
      const titleLines = writeTitle === undefined ? [] : [writeTitle(context, draft, screenFacts)]
      const backLine = `0. ${backLabel?.(messages) ?? messages.back}`
      return [...titleLines, enterPin(messages), backLine].join('\n')
    }
  return {
    kind: 'question',
    secret: 'currentPin',
    prompt: addPrompt(title),
    parseAnswer: (typed, { messages }) =>
      isPin(typed) || isMaskedPin(typed) ? acceptAnswer({}) : rejectAnswer(messages.pin.form),
    targets: [target],
    back,
    ...(retryText && { retryText: addPrompt(retryText) }),
    ...(repeatQuestion && { repeatQuestion }),
    ...(facts && { facts }),
    ...(paymentKind && { paymentKind }),
  }
}
