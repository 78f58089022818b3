import { inEach } from '../messages/texts.ts'
import {
  askAgain,
  askAmount,
  confirmedBy,
  listRateFacts,
  shownTransfer,
  worthLines,
} from './asks.ts'
import { answered, type PaymentPart, pays } from './node.ts'
import { transfer } from './transfer.ts'

const words = inEach({
  en: {
    label: 'Withdraw',
    confirmWithdrawal: (amount: string, to: string) =>
      `${amount === 'all' ? 'Withdraw all you have' : `Withdraw ${amount}`}\nAgent: ${to}`,
    enterPin: 'Enter PIN to withdraw',
    submitted: (amount: string, to: string, tx: string, code: string) =>
      `Withdrawal Submitted\nAgent: ${to}\nAmount: ${amount}\nCode: ${code}\nTx: ${tx}\nCash is paid once it is final.`,
    failed: 'Withdrawal Failed\nNo money was moved. Please dial again.',
    line: (amount: string, to: string) => `Withdrew ${amount} at ${to}`,
  },
  sw: {
    label: 'Toa kwa Wakala',
    confirmWithdrawal: (amount, to) =>
      `${amount === 'all' ? 'Toa pesa zako zote' : `Toa ${amount}`}\nWakala: ${to}`,
    enterPin: 'Weka PIN kutoa pesa',
    submitted: (amount, to, tx, code) =>
      `Ombi limepokelewa\nWakala: ${to}\nKiasi: ${amount}\nMsimbo: ${code}\nTx: ${tx}\nUtalipwa zikifika kabisa.`,
    failed: 'Kutoa kumeshindikana\nHakuna pesa zilizohamishwa. Tafadhali piga tena.',
    line: (amount, to) => `Ulitoa ${amount} kwa wakala ${to}`,
  },
  fr: {
    label: 'Retirer',
    confirmWithdrawal: (amount, to) =>
      `${amount === 'all' ? 'Retirer tout votre solde' : `Retirer ${amount}`}\nAgent: ${to}`,
    enterPin: 'PIN pour retirer',
    submitted: (amount, to, tx, code) =>
      `Retrait demandé\nAgent: ${to}\nMontant: ${amount}\nCode: ${code}\nTx: ${tx}\nPayé dès que définitif.`,
    failed: "Retrait échoué\nAucun argent n'a été déplacé. Veuillez recomposer.",
    line: (amount, to) => `Retiré ${amount} chez ${to}`,
  },
  es: {
    label: 'Retirar',
    confirmWithdrawal: (amount, to) =>
      `${amount === 'all' ? 'Retirar todo su saldo' : `Retirar ${amount}`}\nAgente: ${to}`,
    enterPin: 'PIN para retirar',
    submitted: (amount, to, tx, code) =>
      `Retiro solicitado\nAgente: ${to}\nMonto: ${amount}\nCódigo: ${code}\nTx: ${tx}\nSe paga cuando sea final.`,
    failed: 'El retiro falló\nNo se movió dinero. Marque de nuevo.',
    line: (amount, to) => `Retiró ${amount} con ${to}`,
  },
})
const paid = pays('withdrawal', 'recipient', 'amountWei')

/** Sends money to an agent who hands out cash; Cash Out leads here. */
export const withdrawal = {
  words,
  digit: '7',
  leads: () => undefined,
  places: (settings) =>
    settings.agents
      ? {
          agentAmount: askAmount(settings, { leads: ['confirmWithdrawal'] }, 'wallet'),
          confirmWithdrawal: confirmedBy(settings.pin, (say) => words(say).enterPin, {
            kind: 'list',
            leadsToPay: 'withdrawal',
            facts: listRateFacts(settings),
            title: (context, draft, facts) =>
              [
                words(context.say).confirmWithdrawal(...shownTransfer(context, draft)),
                ...worthLines(context, answered(draft.amountWei), facts),
              ].join('\n'),
            entries: [
              {
                digit: '1',
                label: (say) => words(say).label,
                leads: paid,
                orAsks: 'repeatWithdrawal',
              },
            ],
            back: 'agentAmount',
            backLabel: ({ change }) => change,
          }),
          repeatWithdrawal: askAgain(settings, { digit: '3', leads: paid }, { back: 'main' }),
        }
      : {},
  order: orderToTill,
} satisfies PaymentPart

/** Creates the order of a transfer to a till, which the ledger lists for the till's holder. */
export async function orderToTill(
  ...[parts, intent, account]: Parameters<PaymentPart['order']>
): ReturnType<PaymentPart['order']> {
  const { reference } = intent
  const ordered = await transfer.order(parts, intent, account)
  const to = reference === undefined ? ordered.to : `${ordered.to}, ${reference}`
  return { ...ordered, to, till: { account: ordered.call.to, reference } }
}
