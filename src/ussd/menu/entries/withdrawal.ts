import type { Address } from 'viem'
import { inEachLanguage } from '../../messages/texts.ts'
import {
  createPaymentEffect,
  type Intent,
  type OrderOptions,
  type PaymentOrder,
  type PaymentPart,
  requireAnswer,
} from '../node.ts'
import {
  confirmWithPin,
  createAmountQuestion,
  createRepeatQuestion,
  formatTransfer,
  listRateFacts,
  writeWorth,
} from '../questions.ts'
import { transfer } from './transfer.ts'

const words = inEachLanguage({
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

const payEffect = createPaymentEffect('withdrawal', 'recipient', 'amountWei')

/** Sends money to an agent who hands out cash; the entry Cash Out leads here. */
export const withdrawal = {
  words,
  digit: '7',
  leadsTo: () => undefined,
  places: (settings) =>
    settings.agents
      ? {
          agentAmount: createAmountQuestion(settings, { leadsTo: ['confirmWithdrawal'] }, 'wallet'),
          confirmWithdrawal: confirmWithPin(settings.pin, (messages) => words(messages).enterPin, {
            kind: 'list',
            leadsToPay: 'withdrawal',
            facts: listRateFacts(settings),
            title: (context, draft, facts) =>
              [
                words(context.messages).confirmWithdrawal(...formatTransfer(context, draft)),
                ...writeWorth(context, requireAnswer(draft.amountWei), facts),
              ].join('\n'),
            entries: [
              {
                digit: '1',
                label: (messages) => words(messages).label,
                leadsTo: payEffect,
                repeatQuestion: 'repeatWithdrawal',
              },
            ],
            back: 'agentAmount',
            backLabel: ({ change }) => change,
          }),
          repeatWithdrawal: createRepeatQuestion(
            settings,
            { digit: '3', leadsTo: payEffect },
            { back: 'main' },
          ),
        }
      : {},
  createOrder: createTillOrder,
} satisfies PaymentPart

/** Creates the order of a transfer to a till; the ledger lists the payment for the till's owner. */
export async function createTillOrder(
  options: OrderOptions,
  intent: Intent,
  account: Address,
): Promise<PaymentOrder> {
  const { reference } = intent
  const order = await transfer.createOrder(options, intent, account)
  const to = reference === undefined ? order.to : `${order.to}, ${reference}`
  return { ...order, to, till: { account: order.call.to, reference } }
}
