import { defineWords } from '../../messages/texts.ts'
import {
  acceptAnswer,
  type MenuNode,
  type MenuSettings,
  need,
  rejectAnswer,
  requireAnswer,
  type WriteText,
} from '../node.ts'
import { confirmWithPin } from '../questions.ts'

/** Writes what becomes of the wallets that a caller cashes out to. */
export const walletWords = defineWords({
  en: {
    add: (name: string, address: string) => `Save wallet ${name}:\n${address}`,
    replaces: 'Replaces your address: the name pays nobody for 24 h.',
    confirmAdd: 'Save it',
    added: (name: string) => `Wallet ${name} is saved. Dial again to cash out.`,
    replaced: (name: string) =>
      `Wallet ${name} has a new address. It pays nobody for 24 hours. To cancel, choose 8, then 4.`,
    none: 'No wallet was changed in the last 24 hours.',
    which: 'Which change is wrong?',
    cancel: (name: string, address: string, hours: number) =>
      `Wallet ${name} was changed to\n${address}\nIt pays in ${hours} h.`,
    confirmCancel: 'Cancel the change',
    pinToCancel: 'Enter PIN to cancel this',
    cancelled: (name: string) => `Wallet ${name} has its former address again.`,
    told: (name: string, address: string) =>
      `Wallet ${name} (${address}) was saved for cash-outs from your phone. Was it not you? Choose 8, then 4, and tell your provider.`,
  },
  sw: {
    add: (name, address) => `Hifadhi pochi ${name}:\n${address}`,
    replaces: 'Hubadilisha anwani yako: jina halitalipa kwa saa 24.',
    confirmAdd: 'Hifadhi',
    added: (name) => `Pochi ${name} imehifadhiwa. Piga tena kutoa pesa.`,
    replaced: (name) =>
      `Pochi ${name} ina anwani mpya. Haitalipa kwa saa 24. Kufuta, chagua 8, kisha 4.`,
    none: 'Hakuna pochi iliyobadilishwa kwa saa 24.',
    which: 'Badiliko lipi si sahihi?',
    cancel: (name, address, hours) =>
      `Pochi ${name} imebadilishwa kuwa\n${address}\nItalipa baada ya saa ${hours}.`,
    confirmCancel: 'Futa badiliko',
    pinToCancel: 'Weka PIN kufuta badiliko',
    cancelled: (name) => `Pochi ${name} ina anwani yake ya awali tena.`,
    told: (name, address) =>
      `Pochi ${name} (${address}) imehifadhiwa kwa simu yako. Si wewe? Chagua 8, kisha 4, na umwambie mtoa huduma.`,
  },
  fr: {
    add: (name, address) => `Enregistrer ${name}:\n${address}`,
    replaces: 'Remplace votre adresse: ne paie rien avant 24 h.',
    confirmAdd: 'Enregistrer',
    added: (name) => `Portefeuille ${name} enregistré. Recomposez pour retirer.`,
    replaced: (name) =>
      `Portefeuille ${name}: nouvelle adresse. Il ne paie rien pendant 24 heures. Pour annuler: 8, puis 4.`,
    none: 'Aucun portefeuille modifié depuis 24 heures.',
    which: 'Quel changement est faux?',
    cancel: (name, address, hours) => `${name} est devenu\n${address}\nIl paiera dans ${hours} h.`,
    confirmCancel: 'Annuler ce changement',
    pinToCancel: 'PIN pour annuler cela',
    cancelled: (name) => `Portefeuille ${name}: adresse d'avant rétablie.`,
    told: (name, address) =>
      `Portefeuille ${name} (${address}) enregistré depuis votre téléphone. Pas vous? Choisissez 8, puis 4, et appelez votre prestataire.`,
  },
  es: {
    add: (name, address) => `Guardar billetera ${name}:\n${address}`,
    replaces: 'Reemplaza su dirección: no paga a nadie en 24 h.',
    confirmAdd: 'Guardar',
    added: (name) => `Billetera ${name} guardada. Marque de nuevo para retirar.`,
    replaced: (name) =>
      `La billetera ${name} tiene otra dirección. No paga a nadie por 24 horas. Para anular: 8, luego 4.`,
    none: 'Ninguna billetera cambió en 24 horas.',
    which: '¿Qué cambio es falso?',
    cancel: (name, address, hours) => `${name} cambió a\n${address}\nPaga en ${hours} h.`,
    confirmCancel: 'Anular el cambio',
    pinToCancel: 'PIN para anular esto',
    cancelled: (name) => `La billetera ${name} tiene otra vez su dirección anterior.`,
    told: (name, address) =>
      `Billetera ${name} (${address}) guardada desde su teléfono. ¿No fue usted? Elija 8, luego 4, y avise a su proveedor.`,
  },
})

const writeAddTitle: WriteText = ({ messages, describeRecipient }, { wallet }) => {
  const { name, address, replaces } = requireAnswer(wallet)
  const { add, replaces: warning } = walletWords(messages)
  const lines = [add(name, describeRecipient({ kind: 'address', address }))]
  return [...lines, ...(replaces ? [warning] : [])].join('\n')
}

const writeCancelTitle: WriteText = ({ messages, describeRecipient }, { wallet }) => {
  const { name, address, hours = 0 } = requireAnswer(wallet)
  return walletWords(messages).cancel(name, describeRecipient({ kind: 'address', address }), hours)
}

/** Creates the nodes that add the wallet of a code, and that cancel the change of a name. */
export const createWalletNodes = (settings: MenuSettings): Record<string, MenuNode> => ({
  newWallet: confirmWithPin(settings, {
    title: writeAddTitle,
    label: (messages) => walletWords(messages).confirmAdd,
    target: { name: 'addWallet' },
    back: 'wallet',
  }),
  changedWallets: {
    kind: 'question',
    facts: ['wallets'],
    prompt({ messages }, _, { wallets }) {
      const { none, which } = walletWords(messages)
      const lines = (wallets === 'unavailable' ? [] : wallets).flatMap(({ name, hours }, index) =>
        hours === undefined ? [] : [`${index + 1}. ${name} (${hours} h)`],
      )
      const title = lines.length === 0 ? none : which
      const unavailable = wallets === 'unavailable' ? messages.unread : title
      return [unavailable, ...lines, `0. ${messages.back}`].join('\n')
    },
    *parseAnswer(typed, { messages }) {
      const wallets = yield* need('wallets')
      const wallet = /^[1-9]$/.test(typed) ? wallets[Number(typed) - 1] : undefined
      return wallet?.hours === undefined
        ? rejectAnswer(messages.unknownChoice)
        : acceptAnswer({ wallet })
    },
    targets: ['changedWallet'],
    back: 'settings',
  },
  // The digit differs from those of the wallets, so that a repeated answer cancels nothing.
  changedWallet: confirmWithPin(settings, {
    enterPin: (messages) => walletWords(messages).pinToCancel,
    title: writeCancelTitle,
    digit: '5',
    label: (messages) => walletWords(messages).confirmCancel,
    target: { name: 'cancelWallet' },
    back: 'changedWallets',
  }),
})
