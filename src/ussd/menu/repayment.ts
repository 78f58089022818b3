import type { Facts } from '../facts.ts'
import { inEach } from '../messages/texts.ts'
import { amountIn, pinFor } from './asks.ts'
import { answered, type MenuContext, type PaymentPart, pays } from './node.ts'

const words = inEach({
  en: {
    label: 'Repay Loan',
    all: 'All of it',
    part: 'A part',
    enterRepayment: 'Amount to repay, or all:\n0. Back',
    debt: (amount: string, date: string) => `You owe ${amount}\nUntil: ${date}`,
    noLoan: 'You have no loan.',
    debtUnread: 'You owe: not known now.',
    noteUnread: 'not known now',
    enterPin: 'Enter PIN to repay',
    submitted: (amount: string, _: string, tx: string) =>
      `Repayment Submitted\nAmount: ${amount === 'all' ? 'all that is owed' : amount}\nTx: ${tx}\nYour loan will be updated shortly.`,
    failed: 'Repayment Failed\nNothing was repaid. Please dial again.',
    line: (amount: string) => `Repaid ${amount}`,
  },
  sw: {
    label: 'Lipa Mkopo',
    all: 'Deni lote',
    part: 'Sehemu ya deni',
    enterRepayment: 'Kiasi cha kulipa, au zote:\n0. Rudi',
    debt: (amount, date) => `Unadaiwa ${amount}\nMwisho: ${date}`,
    noLoan: 'Huna mkopo.',
    debtUnread: 'Deni lako halijulikani sasa.',
    noteUnread: 'haijulikani sasa',
    enterPin: 'Weka PIN kulipa',
    submitted: (amount, _, tx) =>
      `Malipo ya mkopo yamepokelewa\nKiasi: ${amount === 'all' ? 'deni lote' : amount}\nTx: ${tx}\nDeni lako litapunguzwa hivi punde.`,
    failed: 'Malipo ya mkopo yameshindikana\nHakuna kilicholipwa. Tafadhali piga tena.',
    line: (amount) => `Ulilipa ${amount}`,
  },
  fr: {
    label: 'Rembourser',
    all: 'Tout',
    part: 'Une partie',
    enterRepayment: 'Montant à rembourser, ou tout:\n0. Retour',
    debt: (amount, date) => `Vous devez ${amount}\nÉchéance: ${date}`,
    noLoan: "Vous n'avez pas de prêt.",
    debtUnread: 'Dette: non connue pour le moment.',
    noteUnread: 'non connu',
    enterPin: 'PIN pour rembourser',
    submitted: (amount, _, tx) =>
      `Remboursement demandé\nMontant: ${amount === 'all' ? 'toute la dette' : amount}\nTx: ${tx}\nVotre prêt sera bientôt mis à jour.`,
    failed: "Remboursement échoué\nRien n'a été remboursé. Veuillez recomposer.",
    line: (amount) => `Remboursé ${amount}`,
  },
  es: {
    label: 'Pagar préstamo',
    all: 'Todo',
    part: 'Una parte',
    enterRepayment: 'Monto a pagar, o todo:\n0. Atrás',
    debt: (amount, date) => `Usted debe ${amount}\nHasta: ${date}`,
    noLoan: 'No tiene préstamo.',
    debtUnread: 'Su deuda no se puede ver ahora.',
    noteUnread: 'ahora no se sabe',
    enterPin: 'PIN para pagar',
    submitted: (amount, _, tx) =>
      `Pago solicitado\nMonto: ${amount === 'all' ? 'toda la deuda' : amount}\nTx: ${tx}\nSu préstamo se actualizará pronto.`,
    failed: 'El pago falló\nNo se pagó nada. Marque de nuevo.',
    line: (amount) => `Pagó ${amount}`,
  },
  demo: { enterRepayment: 'Enter Amount:_____' },
})
const paid = pays('repayment', 'amountWei')

export const repayment = {
  words,
  digit: '4',
  leads: () => 'repay',
  note: noteOf,
  facts: ['debt'],
  places: ({ profile, pin }) => ({
    repay: {
      kind: 'list',
      ...(profile !== 'demo' && { leadsToPay: 'repayment', facts: ['debt'] }),
      title: (context, _, { debt }) =>
        profile === 'demo' ? words(context.say).label : owedTitle(context, debt),
      entries: [
        {
          digit: '1',
          label: (say) => words(say).all,
          answers: { amountWei: 'all' },
          leads: pin === 'off' ? paid : 'pinToRepay',
        },
        { digit: '2', label: (say) => words(say).part, leads: 'repayAmount' },
      ],
      back: 'main',
    },
    repayAmount: {
      kind: 'question',
      prompt: ({ say }) => words(say).enterRepayment,
      answer: (typed, { say }) => amountIn(typed, say.badAmount),
      leads: [pin === 'off' ? paid : 'pinToRepayPart'],
      back: 'repay',
    },
    pinToRepay: pinToRepay('repay'),
    pinToRepayPart: pinToRepay('repayAmount'),
  }),
  async order(_, { amountWei: asked }) {
    const amountWei = answered(asked)
    return {
      call: { kind: 'repayment', amountWei },
      spendsWei: amountWei === 'all' ? 0n : amountWei,
      amountWei,
      to: '',
    }
  },
} satisfies PaymentPart

const pinToRepay = (back: string) =>
  pinFor((say) => words(say).enterPin, {
    title: ({ say, amountOf }, { amountWei }) => {
      const { label, all } = words(say)
      const amount = answered(amountWei)
      return `${label}: ${amount === 'all' ? all : amountOf(amount)}`
    },
    leads: paid,
    leadsToPay: 'repayment',
    back,
  })

function noteOf({ say, amountOf }: MenuContext, { debt }: Facts) {
  if (debt === 'unread') return words(say).noteUnread
  return debt.owedWei > 0n ? amountOf(debt.owedWei) : undefined
}

function owedTitle({ say, amountOf }: MenuContext, debt: Facts['debt']): string {
  const own = words(say)
  if (debt === 'unread') return `${own.label}\n${own.debtUnread}`
  const owed = debt.owedWei > 0n && own.debt(amountOf(debt.owedWei), say.date(debt.dueAt))
  return `${own.label}\n${owed || own.noLoan}`
}
