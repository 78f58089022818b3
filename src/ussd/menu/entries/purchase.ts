import { defineWords } from '../../messages/texts.ts'
import {
  acceptAnswer,
  type Effect,
  type PaymentPart,
  rejectAnswer,
  type SessionDraft,
} from '../node.ts'
import {
  createAmountQuestion,
  createConfirmation,
  createRepeatQuestion,
  formatTransfer,
  parseTillAnswer,
} from '../questions.ts'

const words = defineWords({
  en: {
    label: 'Pay',
    enterRecipient: 'Till or bill number:\n0. Back',
    unknownRecipient: 'No till or bill has this number.',
    enterReference: 'Reference, for example your customer number:\n0. Back',
    invalidReference: 'Up to 20 letters, digits, spaces or ./-, with a letter or digit first.',
    confirmPurchase: (amount: string, recipient: string) => `Pay ${amount}\nTo: ${recipient}`,
    referenceLine: (reference: string) => `For: ${reference}`,
    submitted: (amount: string, recipient: string, tx: string, code: string) =>
      `Payment Submitted\nTo: ${recipient}\nAmount: ${amount}\nCode: ${code}\n${tx}`,
    activityLine: (amount: string, recipient: string) => `Paid ${amount} to ${recipient}`,
  },
  sw: {
    label: 'Lipa',
    enterRecipient: 'Namba ya till au bili:\n0. Rudi',
    unknownRecipient: 'Hakuna till wala bili yenye namba hii.',
    enterReference: 'Kumbukumbu, mfano namba yako ya mteja:\n0. Rudi',
    invalidReference:
      'Herufi, tarakimu, nafasi au ./- zisizozidi 20, ya kwanza herufi au tarakimu.',
    confirmPurchase: (amount, recipient) => `Lipa ${amount}\nKwa: ${recipient}`,
    referenceLine: (reference) => `Kumbukumbu: ${reference}`,
    submitted: (amount, recipient, tx, code) =>
      `Ombi limepokelewa\nKwa: ${recipient}\nKiasi: ${amount}\nMsimbo: ${code}\n${tx}`,
    activityLine: (amount, recipient) => `Ulilipa ${amount} kwa ${recipient}`,
  },
  fr: {
    label: 'Payer',
    enterRecipient: 'Numéro de caisse ou de facture:\n0. Retour',
    unknownRecipient: "Aucune caisse ni facture n'a ce numéro.",
    enterReference: 'Référence, par exemple votre numéro de client:\n0. Retour',
    invalidReference: "Au plus 20 lettres, chiffres, espaces ou ./-, d'abord lettre ou chiffre.",
    confirmPurchase: (amount, recipient) => `Payer ${amount}\nÀ: ${recipient}`,
    referenceLine: (reference) => `Pour: ${reference}`,
    submitted: (amount, recipient, tx, code) =>
      `Paiement demandé\nÀ: ${recipient}\nMontant: ${amount}\nCode: ${code}\n${tx}`,
    activityLine: (amount, recipient) => `Payé ${amount} à ${recipient}`,
  },
  es: {
    label: 'Pagar',
    enterRecipient: 'Número de caja o de factura:\n0. Atrás',
    unknownRecipient: 'Ninguna caja ni factura tiene este número.',
    enterReference: 'Referencia, por ejemplo su número de cliente:\n0. Atrás',
    invalidReference: 'Hasta 20 letras, dígitos, espacios o ./-, y primero una letra o un dígito.',
    confirmPurchase: (amount, recipient) => `Pagar ${amount}\nPara: ${recipient}`,
    referenceLine: (reference) => `Por: ${reference}`,
    submitted: (amount, recipient, tx, code) =>
      `Pago solicitado\nPara: ${recipient}\nMonto: ${amount}\nCódigo: ${code}\n${tx}`,
    activityLine: (amount, recipient) => `Pagó ${amount} a ${recipient}`,
  },
})

const purchaseEffect: Effect = { name: 'purchase' }

const referencePattern = /^[0-9A-Za-z][0-9A-Za-z ./-]{0,19}$/

const isBillPayment = ({ recipient }: SessionDraft): boolean =>
  recipient?.kind === 'till' && recipient.isBill

/** Pays a till or a bill by its number. The reference is not stored on the chain. */
export const purchase = {
  words,
  digit: '10',
  // Only agents have tills, so without agents nobody can be paid.
  findTarget: ({ agents }) => (agents ? 'payee' : undefined),
  createNodes(settings) {
    if (!settings.agents) return {}
    return {
      payee: {
        kind: 'question',
        paymentKind: 'purchase',
        prompt: ({ messages }) => words(messages).enterRecipient,
        parseAnswer: (typed, context) =>
          parseTillAnswer(typed, context, words(context.messages).unknownRecipient),
        targets: ['payAmount', 'reference'],
        selectTarget: (draft) => (isBillPayment(draft) ? 'reference' : 'payAmount'),
        back: 'main',
      },
      reference: {
        kind: 'question',
        prompt: ({ messages }) => words(messages).enterReference,
        parseAnswer: (typed, { messages }) =>
          referencePattern.test(typed)
            ? acceptAnswer({ reference: typed })
            : rejectAnswer(words(messages).invalidReference),
        targets: ['payAmount'],
        back: 'payee',
      },
      payAmount: createAmountQuestion(settings, { targets: ['confirmPurchase'] }, 'payee'),
      confirmPurchase: createConfirmation(settings, {
        label: (messages) => words(messages).label,
        title(context, draft, facts) {
          const { confirmPurchase, referenceLine } = words(context.messages)
          const [amount, recipient] = formatTransfer(context, draft, facts)
          const referenceLines =
            draft.reference === undefined ? [] : [referenceLine(draft.reference)]
          return [confirmPurchase(amount, recipient), ...referenceLines].join('\n')
        },
        paymentKind: 'purchase',
        target: purchaseEffect,
        repeatQuestion: 'repeatPay',
        back: 'payAmount',
      }),
      repeatPay: createRepeatQuestion(settings, purchaseEffect),
    }
  },
} satisfies PaymentPart
