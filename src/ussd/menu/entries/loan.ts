import { getLeastLoan } from '../../../loan/amounts.ts'
import { formatLocal, type Rate } from '../../../loan/local-worth.ts'
import { defineWords } from '../../messages/texts.ts'
import type { DatedLoanTerms, ScreenFacts } from '../../screen-facts.ts'
import { createWorthFormats, formatPaid } from '../../screens/amount-formats.ts'
import { countSeptets, maxSeptets } from '../../screens/septets.ts'
import {
  createEntry,
  type Effect,
  type MenuContext,
  type MenuNode,
  type MenuSettings,
  type PaymentPart,
  type SessionDraft,
  type WriteText,
  wholeAmount,
} from '../node.ts'
import { addCurrencyLine, confirmWithPin, listRateFacts, parseAmountAnswer } from '../questions.ts'

const words = defineWords({
  en: {
    label: 'Request Loan',
    limit: (amount: string) => `You may borrow ${amount}`,
    all: 'All of it',
    less: 'Less',
    enterAmount: 'How much?\n0. Back',
    leastLoan: (amount: string) => `The smallest loan is ${amount}.`,
    most: (amount: string) => `At most ${amount} now.`,
    terms: (amount: string, fee: string, owed: string, date: string) =>
      `Loan: ${amount}\nFee: ${fee}\nTo repay: ${owed}\nUntil: ${date}`,
    agree: 'I agree',
    submitted: (amount: string, _: string, tx: string) =>
      `Loan Requested\n${tx}\n${amount} credited shortly.`,
    notTaken: 'No loan was taken.',
    activityLine: (amount: string) => `Loan of ${amount}`,
    creditedMessage: (amount: string) => `Your account was credited with your loan of ${amount}.`,
  },
  sw: {
    label: 'Omba Mkopo',
    limit: (amount) => `Unaweza kukopa ${amount}`,
    all: 'Zote',
    less: 'Kidogo',
    enterAmount: 'Kiasi gani?\n0. Rudi',
    leastLoan: (amount) => `Mkopo wa chini ni ${amount}.`,
    most: (amount) => `Si zaidi ya ${amount} sasa.`,
    terms: (amount, fee, owed, date) =>
      `Mkopo: ${amount}\nAda: ${fee}\nUtalipa: ${owed}\nMwisho wa kulipa: ${date}`,
    agree: 'Nakubali',
    submitted: (amount, _, tx) =>
      `Ombi la mkopo limepokelewa\n${tx}\nUtapata ${amount} hivi punde.`,
    notTaken: 'Hakuna mkopo uliochukuliwa.',
    activityLine: (amount) => `Mkopo wa ${amount}`,
    creditedMessage: (amount) => `Akaunti yako imeongezewa mkopo wako wa ${amount}.`,
  },
  fr: {
    label: 'Emprunter',
    limit: (amount) => `Vous pouvez emprunter ${amount}`,
    all: 'Tout',
    less: 'Moins',
    enterAmount: 'Combien?\n0. Retour',
    leastLoan: (amount) => `Le plus petit prêt est de ${amount}.`,
    most: (amount) => `Au plus ${amount} en ce moment.`,
    terms: (amount, fee, owed, date) =>
      `Prêt: ${amount}\nFrais: ${fee}\nÀ rembourser: ${owed}\nÉchéance: ${date}`,
    agree: "J'accepte",
    submitted: (amount, _, tx) => `Prêt demandé\n${tx}\n${amount} sera bientôt crédité.`,
    notTaken: "Aucun prêt n'a été pris.",
    activityLine: (amount) => `Prêt de ${amount}`,
    creditedMessage: (amount) => `Votre compte a été crédité de votre prêt de ${amount}.`,
  },
  es: {
    label: 'Pedir préstamo',
    limit: (amount) => `Puede pedir ${amount}`,
    all: 'Todo',
    less: 'Menos',
    enterAmount: '¿Cuánto?\n0. Atrás',
    leastLoan: (amount) => `El préstamo mínimo es ${amount}.`,
    most: (amount) => `Como máximo ${amount} ahora.`,
    terms: (amount, fee, owed, date) =>
      `Préstamo: ${amount}\nComisión: ${fee}\nA pagar: ${owed}\nHasta: ${date}`,
    agree: 'Acepto',
    submitted: (amount, _, tx) => `Préstamo solicitado\n${tx}\nPronto recibirá ${amount}.`,
    notTaken: 'No se tomó ningún préstamo.',
    activityLine: (amount) => `Préstamo de ${amount}`,
    creditedMessage: (amount) => `Se abonó a su cuenta su préstamo de ${amount}.`,
  },
  demo: { label: 'Request Micro-Loan', notTaken: 'Nothing was sent.' },
})

const loanEffect: Effect = { name: 'loan' }

/**
 * Writes the terms in full, and with less and less for a screen without room. Loan or fee is left
 * out first, as each is the debt less the other, or local money.
 */
function writeTerms(
  context: MenuContext,
  { amountWei, agreed }: SessionDraft,
  { principalWei, feeWei, dueAt }: DatedLoanTerms,
  rate: Rate | 'none',
): string[][] {
  const { messages, showExactAmount } = context
  const { terms, most } = words(messages)
  const typed = amountWei === principalWei ? agreed : undefined
  const showOwed = rate === 'none' ? showExactAmount : createWorthFormats(context, rate).showOwed
  const owed = showOwed(principalWei + feeWei)
  const lent = formatPaid(context, principalWei, typed, rate)
  // One amount is not rounded to two: what is lent is then told in the money that it is exact in.
  const exact = typed ? formatLocal(typed) : showExactAmount(principalWei)
  const amount = feeWei > 0n || lent === owed ? lent : exact
  const text = terms(amount, showOwed(feeWei), owed, messages.date(dueAt))
  const [loanLine = '', ...lines] = text.split('\n')
  // The limit may have become less since the amount was typed.
  const isCut = typeof amountWei === 'bigint' && amountWei > principalWei
  return isCut
    ? [
        [most(amount), ...lines],
        [most(amount), ...lines.slice(1)],
      ]
    : [[loanLine, ...lines], lines, lines.slice(1)]
}

const writeTitle: WriteText = (context, draft, { terms, rate = 'none' }) => {
  const texts = ([rate, 'none'] as const).flatMap((each) =>
    writeTerms(context, draft, terms, each).slice(0, 2),
  )
  return selectFittingText(maxTitleSeptets, texts)
}

/** Writes the terms below a mistake. */
const writeRetryTitle: WriteText = (context, draft, { terms, rate = 'none' }) => {
  const texts = ([rate, 'none'] as const).flatMap((each) => writeTerms(context, draft, terms, each))
  const debt = (texts.at(-1) ?? []).slice(-2)
  return selectFittingText(maxTitleSeptets - mistakeSeptets, [...texts, debt])
}

/** Reserves room for the question for the PIN, and for the text of a mistake. */
const promptSeptets = 45
const mistakeSeptets = 40
const maxTitleSeptets = maxSeptets - promptSeptets

/** Returns the first text that fits, else the last one. */
const selectFittingText = (limit: number, alternatives: readonly string[][]): string => {
  const texts = alternatives.map((lines) => lines.join('\n'))
  return texts.find((text) => countSeptets(text) <= limit) ?? texts.at(-1) ?? ''
}

/** Writes how much an account may borrow. */
function writeLimit(
  context: MenuContext,
  { loanLimit, rate = 'none' }: ScreenFacts,
  form?: 'inShort',
): string {
  const formats = createWorthFormats(context, rate)
  const { show } = form === undefined ? formats : formats[form]
  return words(context.messages).limit(show(loanLimit))
}

/** Creates the nodes that ask how much of what an account may borrow. */
function createChoice(settings: MenuSettings) {
  const currencyLine = addCurrencyLine(settings, ({ messages }) => words(messages).enterAmount)
  return {
    borrow: {
      paymentKind: 'loan',
      facts: ['loanLimit', ...listRateFacts(settings)],
      kind: 'list',
      title: (context, _, facts) => writeLimit(context, facts),
      entries: [
        { ...createEntry('1', words, 'all', 'agree'), draft: wholeAmount },
        createEntry('2', words, 'less', 'borrowAmount'),
      ],
      back: 'main',
    },
    borrowAmount: {
      kind: 'question',
      asksAmount: true,
      ...currencyLine,
      facts: ['loanLimit', ...listRateFacts(settings)],
      prompt: (context, draft, facts) =>
        `${writeLimit(context, facts, 'inShort')}\n${currencyLine.prompt(context, draft, facts)}`,
      parseAnswer: (typed, context) =>
        parseAmountAnswer(
          typed,
          context,
          getLeastLoan(context.unit),
          words(context.messages).leastLoan,
        ),
      targets: ['agree'],
      back: 'borrow',
    },
  } satisfies Record<string, MenuNode>
}

export const loan = {
  words,
  digit: '3',
  findTarget: ({ confirms, choosesLoan }) =>
    choosesLoan ? 'borrow' : confirms ? 'agree' : loanEffect,
  createNodes: (settings) => ({
    ...(settings.choosesLoan && createChoice(settings)),
    agree: confirmWithPin(settings, {
      paymentKind: 'loan',
      facts: ['terms', ...listRateFacts(settings)],
      title: writeTitle,
      retryText: writeRetryTitle,
      label: (messages) => words(messages).agree,
      target: loanEffect,
      back: settings.choosesLoan ? 'borrow' : 'main',
    }),
  }),
} satisfies PaymentPart
