import { spellPhone } from '../../../account/phone.ts'
import { defineWords } from '../../messages/texts.ts'
import { createEntry, type MenuPart, type PaymentPart } from '../node.ts'
import { confirmWithPin } from '../questions.ts'

const words = defineWords({
  en: {
    label: 'Receive',
    receive: (phone: string, address: string) =>
      `To be paid, give your number: ${phone}\nFrom a wallet outside, send to:\n${address}`,
    receiveTokens: (phone: string, symbol: string, address: string) =>
      `To be paid, give your number: ${phone}\nFrom a wallet, send only ${symbol} to:\n${address}`,
    claimed: {
      sent: (amount: string, tx: string) =>
        `Credit Submitted\nAmount: ${amount}\nTx: ${tx}\nYour account will have it shortly.`,
      unknown:
        'It is not known yet whether your account is being credited. Dial again in a minute.',
      underWay: 'Your account is being credited. See your balance in a minute.',
      tooLittle: (arrived: string, fee: string) =>
        `Only ${arrived} has arrived, less than the network's fee of ${fee}. Your account was not credited. Send more and dial again.`,
      nothingSince: (last: string) =>
        `Nothing new has arrived. Your account was credited with ${last} last. Dial again later.`,
    },
  },
  sw: {
    label: 'Pokea',
    receive: (phone, address) =>
      `Kulipwa, toa namba yako: ${phone}\nKutoka pochi, tuma kwa anwani hii:\n${address}`,
    receiveTokens: (phone, symbol, address) =>
      `Kulipwa, toa namba yako: ${phone}\nKutoka pochi, tuma ${symbol} tu kwa:\n${address}`,
    claimed: {
      sent: (amount, tx) =>
        `Ombi limetumwa\nKiasi: ${amount}\nTx: ${tx}\nItaingia kwenye akaunti yako hivi punde.`,
      unknown:
        'Bado haijulikani kama pesa zinaingia kwenye akaunti yako. Piga tena baada ya dakika.',
      underWay: 'Pesa zinaingia kwenye akaunti yako. Angalia salio baada ya dakika moja.',
      tooLittle: (arrived, fee) =>
        `Zimefika ${arrived} tu, chini ya ada ya mtandao ${fee}. Akaunti haijaongezewa. Tuma zaidi kisha piga tena.`,
      nothingSince: (last) =>
        `Hakuna pesa mpya zilizofika. Mwisho uliongezewa ${last}. Piga tena baadaye.`,
    },
  },
  fr: {
    label: 'Recevoir',
    receive: (phone, address) =>
      `Pour être payé, votre numéro: ${phone}\nDepuis un portefeuille, envoyez à l'adresse:\n${address}`,
    receiveTokens: (phone, symbol, address) =>
      `Pour être payé, votre numéro: ${phone}\nD'un portefeuille, envoyez ${symbol} seul à:\n${address}`,
    claimed: {
      sent: (amount, tx) =>
        `Crédit demandé\nMontant: ${amount}\nTx: ${tx}\nVotre compte le recevra bientôt.`,
      unknown:
        "On ne sait pas encore si votre compte est en train d'être crédité. Recomposez dans une minute.",
      underWay: "Votre compte est en train d'être crédité. Voyez votre solde dans une minute.",
      tooLittle: (arrived, fee) =>
        `Seulement ${arrived} reçu, moins que les frais du réseau: ${fee}. Compte non crédité. Envoyez plus et recomposez.`,
      nothingSince: (last) =>
        `Rien de nouveau. Votre compte a été crédité de ${last} la dernière fois. Recomposez plus tard.`,
    },
  },
  es: {
    label: 'Recibir',
    receive: (phone, address) =>
      `Para cobrar, dé su número: ${phone}\nDesde una billetera, envíe a:\n${address}`,
    receiveTokens: (phone, symbol, address) =>
      `Para cobrar, dé su número: ${phone}\nDesde una billetera, envíe solo ${symbol} a:\n${address}`,
    claimed: {
      sent: (amount, tx) =>
        `Abono solicitado\nMonto: ${amount}\nTx: ${tx}\nPronto estará en su cuenta.`,
      unknown: 'Aún no se sabe si su cuenta se está abonando. Marque de nuevo en un minuto.',
      underWay: 'Su cuenta se está abonando. Vea su saldo en un minuto.',
      tooLittle: (arrived, fee) =>
        `Solo ha llegado ${arrived}, menos que la comisión de la red de ${fee}. No se abonó. Envíe más y marque de nuevo.`,
      nothingSince: (last) =>
        `No ha llegado nada nuevo. Lo último abonado fue ${last}. Marque de nuevo más tarde.`,
    },
  },
})

const depositWords = defineWords({
  en: {
    label: 'Credit what arrived',
    submitted: (_amount: string, _to: string, tx: string) =>
      `Credit Submitted\n${tx}\nYour account will have all that arrived shortly.`,
    activityLine: (amount: string) => `Credit of ${amount === 'all' ? 'what arrived' : amount}`,
    nothing:
      'Nothing has arrived from a wallet yet. Dial again in some minutes. What a phone sends you is in your balance.',
  },
  sw: {
    label: 'Weka zilizofika',
    submitted: (_amount, _to, tx) =>
      `Ombi limetumwa\n${tx}\nZilizofika zitaingia kwenye akaunti yako hivi punde.`,
    activityLine: (amount) => `Kuwekwa ${amount === 'all' ? 'zilizofika' : amount}`,
    nothing:
      'Hakuna pesa zilizofika bado kutoka pochi. Piga tena baada ya dakika chache. Za simu ziko kwenye salio lako.',
  },
  fr: {
    label: 'Créditer ce qui est arrivé',
    submitted: (_amount, _to, tx) =>
      `Crédit demandé\n${tx}\nVotre compte aura bientôt tout ce qui est arrivé.`,
    activityLine: (amount) => `Crédit de ${amount === 'all' ? 'ce qui est arrivé' : amount}`,
    nothing:
      "Rien n'est encore arrivé d'un portefeuille. Recomposez dans quelques minutes. Ce qu'un téléphone envoie est dans votre solde.",
  },
  es: {
    label: 'Abonar lo que llegó',
    submitted: (_amount, _to, tx) =>
      `Abono solicitado\n${tx}\nSu cuenta tendrá pronto todo lo que llegó.`,
    activityLine: (amount) => `Abono de ${amount === 'all' ? 'lo que llegó' : amount}`,
    nothing:
      'Aún no ha llegado nada de una billetera. Marque de nuevo en unos minutos. Lo que un teléfono envía está en su saldo.',
  },
})

export const receive = {
  words,
  digit: '6',
  findTarget: ({ profile }) => (profile === 'demo' ? undefined : 'receive'),
  createNodes: ({ isOverToken }) => ({
    receive: {
      facts: ['address'],
      kind: 'list',
      title: ({ messages, caller, unit }, _, { address }) =>
        isOverToken
          ? words(messages).receiveTokens(spellPhone(caller), unit.symbol, address)
          : words(messages).receive(spellPhone(caller), address),
      entries: [
        createEntry('1', depositWords, 'label', isOverToken ? 'credit' : { name: 'claim' }),
      ],
      back: 'main',
    },
  }),
} satisfies MenuPart

/** Credits what arrived at the account's inlet, in a pool of tokens; it stands below Receive. */
export const deposit = {
  words: depositWords,
  createNodes: (settings) =>
    settings.isOverToken
      ? {
          credit: confirmWithPin(settings, {
            paymentKind: 'deposit',
            title: ({ messages }) => depositWords(messages).label,
            label: (messages) => depositWords(messages).label,
            target: { name: 'deposit' },
            back: 'receive',
          }),
        }
      : {},
} satisfies PaymentPart
