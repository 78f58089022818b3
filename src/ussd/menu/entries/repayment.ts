import type { Messages } from '../../messages/en.ts'
import { defineWords } from '../../messages/texts.ts'
import type { ScreenFacts } from '../../screen-facts.ts'
import { createWorthFormats, formatPaid } from '../../screens/amount-formats.ts'
import {
  createEntry,
  type Effect,
  type MenuContext,
  type MenuSettings,
  type PaymentPart,
  requireAnswer,
  wholeAmount,
} from '../node.ts'
import { addCurrencyLine, confirmWithPin, listRateFacts, parseAmountAnswer } from '../questions.ts'

const menuDigit = '4'

const words = defineWords({
  en: {
    label: 'Repay Loan',
    wholeDebt: 'All of it',
    partOfDebt: 'A part',
    enterRepayment: 'Amount to repay, or all:\n0. Back',
    debt: (amount: string) => `You owe ${amount}`,
    until: (date: string) => `Until: ${date}`,
    noLoan: 'You have no loan.',
    debtNoteUnavailable: 'debt unknown',
    submitted: (amount: string, _: string, tx: string) =>
      `Repayment Submitted\nAmount: ${amount === 'all' ? 'all that is owed' : amount}\n${tx}\nYour loan will be updated shortly.`,
    reminder: (amount: string, date: string) =>
      `Your loan is due on ${date}. To repay: ${amount}. Dial and choose ${menuDigit}.`,
    overdue: (date: string) => `Overdue since: ${date}`,
    noteOverdue: 'overdue',
    activityLine: (amount: string) => `Repaid ${amount}`,
  },
  sw: {
    label: 'Lipa Mkopo',
    wholeDebt: 'Deni lote',
    partOfDebt: 'Sehemu ya deni',
    enterRepayment: 'Kiasi cha kulipa, au zote:\n0. Rudi',
    debt: (amount) => `Unadaiwa ${amount}`,
    until: (date) => `Mwisho: ${date}`,
    noLoan: 'Huna mkopo.',
    debtNoteUnavailable: 'deni halijulikani',
    submitted: (amount, _, tx) =>
      `Malipo ya mkopo yamepokelewa\nKiasi: ${amount === 'all' ? 'deni lote' : amount}\n${tx}\nDeni lako litapunguzwa hivi punde.`,
    reminder: (amount, date) =>
      `Mkopo wako ulipwe kufikia ${date}. Deni: ${amount}. Piga kisha chagua ${menuDigit}.`,
    overdue: (date) => `Umechelewa tangu: ${date}`,
    noteOverdue: 'umechelewa',
    activityLine: (amount) => `Ulilipa ${amount}`,
  },
  fr: {
    label: 'Rembourser',
    wholeDebt: 'Tout',
    partOfDebt: 'Une partie',
    enterRepayment: 'Montant à rembourser, ou tout:\n0. Retour',
    debt: (amount) => `Vous devez ${amount}`,
    until: (date) => `Échéance: ${date}`,
    noLoan: "Vous n'avez pas de prêt.",
    debtNoteUnavailable: 'dette inconnue',
    submitted: (amount, _, tx) =>
      `Remboursement demandé\nMontant: ${amount === 'all' ? 'toute la dette' : amount}\n${tx}\nVotre prêt sera bientôt mis à jour.`,
    reminder: (amount, date) =>
      `Votre prêt est à rembourser le ${date}: ${amount}. Composez et choisissez ${menuDigit}.`,
    overdue: (date) => `En retard depuis: ${date}`,
    noteOverdue: 'en retard',
    activityLine: (amount) => `Remboursé ${amount}`,
  },
  es: {
    label: 'Pagar préstamo',
    wholeDebt: 'Todo',
    partOfDebt: 'Una parte',
    enterRepayment: 'Monto a pagar, o todo:\n0. Atrás',
    debt: (amount) => `Usted debe ${amount}`,
    until: (date) => `Hasta: ${date}`,
    noLoan: 'No tiene préstamo.',
    debtNoteUnavailable: 'deuda desconocida',
    submitted: (amount, _, tx) =>
      `Pago solicitado\nMonto: ${amount === 'all' ? 'toda la deuda' : amount}\n${tx}\nSu préstamo se actualizará pronto.`,
    reminder: (amount, date) =>
      `Su préstamo vence el ${date}. A pagar: ${amount}. Marque y elija ${menuDigit}.`,
    overdue: (date) => `Vencido desde: ${date}`,
    noteOverdue: 'vencido',
    activityLine: (amount) => `Pagó ${amount}`,
  },
  demo: { enterRepayment: 'Enter Amount:_____' },
})

const repayEffect: Effect = { name: 'repayment' }

export const repayment = {
  words,
  digit: menuDigit,
  findTarget: () => 'repay',
  note: writeDebtNote,
  facts: ['debt'],
  createNodes: (settings) => ({
    repay: {
      kind: 'list',
      asksAmount: true,
      // The demonstration shows neither the debt nor a rate.
      ...(settings.profile !== 'demo' && {
        paymentKind: 'repayment',
        facts: ['debt', ...listRateFacts(settings)],
      }),
      title: (context, _, facts) =>
        settings.profile === 'demo'
          ? words(context.messages).label
          : writeDebtTitle(context, facts),
      entries: [
        {
          digit: '1',
          label: (messages) => words(messages).wholeDebt,
          draft: wholeAmount,
          ...(settings.profile !== 'demo' && { note: writeWholeDebt }),
          target: settings.pin === 'off' ? repayEffect : 'pinToRepay',
        },
        createEntry('2', words, 'partOfDebt', 'repayAmount'),
      ],
      back: 'main',
    },
    repayAmount: {
      kind: 'question',
      ...addCurrencyLine(settings, ({ messages }) => words(messages).enterRepayment),
      parseAnswer: (typed, context) => parseAmountAnswer(typed, context, 0n),
      asksAmount: true,
      // An amount in local currency is confirmed in both currencies, even without PINs.
      ...(settings.pin === 'off' && !settings.localCurrency
        ? { targets: [repayEffect] }
        : {
            targets: ['pinToRepayPart', 'pinToRepay'],
            selectTarget: ({ amountWei }) =>
              amountWei === 'all' ? 'pinToRepay' : 'pinToRepayPart',
          }),
      back: 'repay',
    },
    pinToRepay: createRepayConfirmation(settings, 'repay'),
    pinToRepayPart: createRepayConfirmation(settings, 'repayAmount'),
  }),
} satisfies PaymentPart

const createRepayConfirmation = (settings: MenuSettings, back: string) =>
  confirmWithPin(settings, {
    facts: [
      ...listRateFacts(settings),
      ...(settings.profile !== 'demo' && back === 'repay' ? (['debt'] as const) : []),
    ],
    title: (context, draft, facts) => {
      const { label, wholeDebt, debtNoteUnavailable } = words(context.messages)
      const amount = requireAnswer(draft.amountWei)
      if (amount !== 'all')
        return `${label}: ${formatPaid(context, amount, draft.agreed, facts.rate)}`
      if (settings.profile === 'demo') return `${label}: ${wholeDebt}`
      const isUnread = facts.debt === 'unavailable'
      const owed = isUnread ? debtNoteUnavailable : writeWholeDebt(context, facts)
      return `${label}: ${[wholeDebt, owed].filter(Boolean).join(', ')}`
    },
    label: (messages) => words(messages).label,
    target: repayEffect,
    paymentKind: 'repayment',
    back,
  })

/** Writes the message to a borrower whose loan is due soon; `dueAt` is a Unix time in s. */
export const writeReminder = (messages: Messages, amount: string, dueAt: number): string =>
  words(messages).reminder(amount, messages.date(dueAt))

/** Writes the whole of a debt; undefined if it cannot be read, or if nothing is owed. */
const writeWholeDebt = (context: MenuContext, { debt }: ScreenFacts): string | undefined =>
  debt === 'unavailable' || debt.owedWei === 0n
    ? undefined
    : createWorthFormats(context, debt.rate).inShort.showOwed(debt.owedWei)

/** Notes a debt in the main menu, which has no room for more than its worth if that is known. */
function writeDebtNote(context: MenuContext, facts: ScreenFacts) {
  const { debt } = facts
  const text = words(context.messages)
  if (debt === 'unavailable') return text.debtNoteUnavailable
  const owed = writeWholeDebt(context, facts)
  return owed !== undefined && debt.isOverdue ? `${owed}, ${text.noteOverdue}` : owed
}

function writeDebtTitle(context: MenuContext, facts: ScreenFacts): string {
  const { debt } = facts
  const { messages } = context
  const text = words(messages)
  if (debt === 'unavailable') return `${text.label}\n${messages.unread}`
  if (debt.owedWei === 0n) return `${text.label}\n${text.noLoan}`
  const dueLine = (debt.isOverdue ? text.overdue : text.until)(messages.date(debt.dueAt))
  const { showOwed } = createWorthFormats(context, debt.rate)
  const owed = (debt.rate === 'none' ? context.showExactAmount : showOwed)(debt.owedWei)
  return [text.label, text.debt(owed), dueLine].join('\n')
}
