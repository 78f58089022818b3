import { spellPhone } from '../../../account/phone.ts'
import { defineWords } from '../../messages/texts.ts'
import type { MenuPart } from '../node.ts'

const words = defineWords({
  en: {
    label: 'Receive',
    receive: (phone: string, address: string) =>
      `To be paid, give your number: ${phone}\nFrom a wallet outside, send to:\n${address}`,
    receiveTokens: (phone: string, symbol: string, address: string) =>
      `To be paid, give your number: ${phone}\nFrom a wallet, send only ${symbol} to:\n${address}`,
    claim: 'Credit what arrived',
    claimed: {
      sent: (amount: string, tx: string) =>
        `Credit Submitted\nAmount: ${amount}\nTx: ${tx}\nYour account will have it shortly.`,
      unknown:
        'It is not known yet whether your account is being credited. Dial again in a minute.',
      underWay: 'Your account is being credited. See your balance in a minute.',
      tooLittle: (arrived: string, fee: string) =>
        `Only ${arrived} has arrived, less than the network's fee of ${fee}. Your account was not credited. Send more and dial again.`,
      nothing:
        'Nothing has arrived from a wallet yet. Dial again in some minutes. What a phone sends you is in your balance.',
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
    claim: 'Weka zilizofika',
    claimed: {
      sent: (amount, tx) =>
        `Ombi limetumwa\nKiasi: ${amount}\nTx: ${tx}\nItaingia kwenye akaunti yako hivi punde.`,
      unknown:
        'Bado haijulikani kama pesa zinaingia kwenye akaunti yako. Piga tena baada ya dakika.',
      underWay: 'Pesa zinaingia kwenye akaunti yako. Angalia salio baada ya dakika moja.',
      tooLittle: (arrived, fee) =>
        `Zimefika ${arrived} tu, chini ya ada ya mtandao ${fee}. Akaunti haijaongezewa. Tuma zaidi kisha piga tena.`,
      nothing:
        'Hakuna pesa zilizofika bado kutoka pochi. Piga tena baada ya dakika chache. Za simu ziko kwenye salio lako.',
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
    claim: 'Créditer ce qui est arrivé',
    claimed: {
      sent: (amount, tx) =>
        `Crédit demandé\nMontant: ${amount}\nTx: ${tx}\nVotre compte le recevra bientôt.`,
      unknown:
        "On ne sait pas encore si votre compte est en train d'être crédité. Recomposez dans une minute.",
      underWay: "Votre compte est en train d'être crédité. Voyez votre solde dans une minute.",
      tooLittle: (arrived, fee) =>
        `Seulement ${arrived} reçu, moins que les frais du réseau: ${fee}. Compte non crédité. Envoyez plus et recomposez.`,
      nothing:
        "Rien n'est encore arrivé d'un portefeuille. Recomposez dans quelques minutes. Ce qu'un téléphone envoie est dans votre solde.",
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
    claim: 'Abonar lo que llegó',
    claimed: {
      sent: (amount, tx) =>
        `Abono solicitado\nMonto: ${amount}\nTx: ${tx}\nPronto estará en su cuenta.`,
      unknown: 'Aún no se sabe si su cuenta se está abonando. Marque de nuevo en un minuto.',
      underWay: 'Su cuenta se está abonando. Vea su saldo en un minuto.',
      tooLittle: (arrived, fee) =>
        `Solo ha llegado ${arrived}, menos que la comisión de la red de ${fee}. No se abonó. Envíe más y marque de nuevo.`,
      nothing:
        'Aún no ha llegado nada de una billetera. Marque de nuevo en unos minutos. Lo que un teléfono envía está en su saldo.',
      nothingSince: (last) =>
        `No ha llegado nada nuevo. Lo último abonado fue ${last}. Marque de nuevo más tarde.`,
    },
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
        {
          digit: '1',
          label: (messages) => words(messages).claim,
          target: isOverToken
            ? 'credit'
            : { name: 'claim', createOutcome: () => ({ kind: 'claim' }) },
        },
      ],
      back: 'main',
    },
  }),
} satisfies MenuPart
