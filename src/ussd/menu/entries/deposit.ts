import { defineWords } from '../../messages/texts.ts'
import { createPaymentEffect, type PaymentPart } from '../node.ts'
import { confirmWithPin } from '../questions.ts'

const words = defineWords({
  en: {
    label: 'Credit what arrived',
    enterPin: 'Enter PIN to credit it',
    submitted: (_amount: string, _to: string, tx: string) =>
      `Credit Submitted\n${tx}\nYour account will have all that arrived shortly.`,
    failed: 'Credit Failed\nWhat arrived is kept. Please dial again.',
    activityLine: (amount: string) => `Credit of ${amount === 'all' ? 'what arrived' : amount}`,
    nothing:
      'Nothing has arrived from a wallet yet. Dial again in some minutes. What a phone sends you is in your balance.',
  },
  sw: {
    label: 'Weka zilizofika',
    enterPin: 'Weka PIN kuziweka',
    submitted: (_amount, _to, tx) =>
      `Ombi limetumwa\n${tx}\nZilizofika zitaingia kwenye akaunti yako hivi punde.`,
    failed: 'Imeshindikana\nZilizofika zimehifadhiwa. Tafadhali piga tena.',
    activityLine: (amount) => `Kuwekwa ${amount === 'all' ? 'zilizofika' : amount}`,
    nothing:
      'Hakuna pesa zilizofika bado kutoka pochi. Piga tena baada ya dakika chache. Za simu ziko kwenye salio lako.',
  },
  fr: {
    label: 'Créditer ce qui est arrivé',
    enterPin: 'PIN pour créditer',
    submitted: (_amount, _to, tx) =>
      `Crédit demandé\n${tx}\nVotre compte aura bientôt tout ce qui est arrivé.`,
    failed: 'Crédit échoué\nCe qui est arrivé est gardé. Veuillez recomposer.',
    activityLine: (amount) => `Crédit de ${amount === 'all' ? 'ce qui est arrivé' : amount}`,
    nothing:
      "Rien n'est encore arrivé d'un portefeuille. Recomposez dans quelques minutes. Ce qu'un téléphone envoie est dans votre solde.",
  },
  es: {
    label: 'Abonar lo que llegó',
    enterPin: 'PIN para abonar',
    submitted: (_amount, _to, tx) =>
      `Abono solicitado\n${tx}\nSu cuenta tendrá pronto todo lo que llegó.`,
    failed: 'El abono falló\nLo que llegó queda guardado. Por favor, marque de nuevo.',
    activityLine: (amount) => `Abono de ${amount === 'all' ? 'lo que llegó' : amount}`,
    nothing:
      'Aún no ha llegado nada de una billetera. Marque de nuevo en unos minutos. Lo que un teléfono envía está en su saldo.',
  },
})

const depositEffect = createPaymentEffect('deposit')

/** Credits what arrived at the account's inlet, in a pool of tokens; it stands below Receive. */
export const deposit = {
  words,
  createNodes: (settings) =>
    settings.isOverToken
      ? {
          credit: confirmWithPin(settings, (messages) => words(messages).enterPin, {
            kind: 'list',
            paymentKind: 'deposit',
            title: ({ messages }) => words(messages).label,
            entries: [
              { digit: '1', label: (messages) => words(messages).label, target: depositEffect },
            ],
            back: 'receive',
          }),
        }
      : {},
} satisfies PaymentPart
