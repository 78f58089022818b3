import { defineWords } from '../../messages/texts.ts'
import { createPaymentEffect, type PaymentPart, type WriteText } from '../node.ts'
import {
  createAmountQuestion,
  createConfirmation,
  createRepeatQuestion,
  formatTransfer,
} from '../questions.ts'

const words = defineWords({
  en: {
    label: 'Withdraw',
    confirmWithdrawal: (amount: string, to: string) =>
      `${amount === 'all' ? 'Withdraw all you have' : `Withdraw ${amount}`}\nAgent: ${to}`,
    enterPin: 'Enter PIN to withdraw',
    submitted: (amount: string, to: string, tx: string, code: string) =>
      `Withdrawal Submitted\nAgent: ${to}\nAmount: ${amount}\nCode for agent: ${code}\n${tx}\nCash once it is done.`,
    failed: 'Withdrawal Failed\nNo money was moved. Please dial again.',
    activityLine: (amount: string, to: string) => `Withdrew ${amount} at ${to}`,
    creditedMessage: (amount: string, to: string) =>
      `Ask ${to} for your cash, ${amount}, with your code: see 5.`,
  },
  sw: {
    label: 'Toa kwa Wakala',
    confirmWithdrawal: (amount, to) =>
      `${amount === 'all' ? 'Toa pesa zako zote' : `Toa ${amount}`}\nWakala: ${to}`,
    enterPin: 'Weka PIN kutoa pesa',
    submitted: (amount, to, tx, code) =>
      `Ombi limetumwa\nWakala: ${to}\nKiasi: ${amount}\nMpe msimbo: ${code}\n${tx}\nUtalipwa ikikamilika.`,
    failed: 'Kutoa kumeshindikana\nHakuna pesa zilizohamishwa. Tafadhali piga tena.',
    activityLine: (amount, to) => `Ulitoa ${amount} kwa wakala ${to}`,
    creditedMessage: (amount, to) =>
      `Mwombe ${to} pesa zako, ${amount}, kwa msimbo wako: tazama 5.`,
  },
  fr: {
    label: 'Retirer',
    confirmWithdrawal: (amount, to) =>
      `${amount === 'all' ? 'Retirer tout votre solde' : `Retirer ${amount}`}\nAgent: ${to}`,
    enterPin: 'PIN pour retirer',
    submitted: (amount, to, tx, code) =>
      `Retrait demandé\nAgent: ${to}\nMontant: ${amount}\nCode pour agent: ${code}\n${tx}\nPayé dès que fini.`,
    failed: "Retrait échoué\nAucun argent n'a été déplacé. Veuillez recomposer.",
    activityLine: (amount, to) => `Retiré ${amount} chez ${to}`,
    creditedMessage: (amount, to) =>
      `Demandez votre argent à ${to}, ${amount}, avec votre code: voir 5.`,
  },
  es: {
    label: 'Retirar',
    confirmWithdrawal: (amount, to) =>
      `${amount === 'all' ? 'Retirar todo su saldo' : `Retirar ${amount}`}\nAgente: ${to}`,
    enterPin: 'PIN para retirar',
    submitted: (amount, to, tx, code) =>
      `Retiro solicitado\nAgente: ${to}\nMonto: ${amount}\nCódigo para agente: ${code}\n${tx}\nSe paga al terminar.`,
    failed: 'El retiro falló\nNo se movió dinero. Por favor, marque de nuevo.',
    activityLine: (amount, to) => `Retiró ${amount} con ${to}`,
    creditedMessage: (amount, to) => `Pida su dinero a ${to}, ${amount}, con su código: vea 5.`,
  },
})

const withdrawalEffect = createPaymentEffect('withdrawal', 'recipient', 'amountWei', 'agreed')

const writeTitle: WriteText = (context, draft, facts) =>
  words(context.messages).confirmWithdrawal(...formatTransfer(context, draft, facts))

/** Sends money to an agent who hands out cash; the entry Cash Out leads here. */
export const withdrawal = {
  words,
  createNodes: (settings) =>
    settings.agents
      ? {
          agentAmount: createAmountQuestion(settings, { targets: ['confirmWithdrawal'] }, 'wallet'),
          confirmWithdrawal: createConfirmation(settings, {
            enterPin: (messages) => words(messages).enterPin,
            label: (messages) => words(messages).label,
            title: (context, draft, facts) =>
              `${writeTitle(context, draft, facts)}\n${context.messages.receipt.noFee}`,
            retryText: writeTitle,
            paymentKind: 'withdrawal',
            target: withdrawalEffect,
            repeatQuestion: 'repeatWithdrawal',
            back: 'agentAmount',
          }),
          repeatWithdrawal: createRepeatQuestion(settings, withdrawalEffect),
        }
      : {},
} satisfies PaymentPart
