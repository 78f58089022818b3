import { defineWords } from '../../messages/texts.ts'
import {
  acceptAnswer,
  createEntry,
  type Entry,
  type MenuNode,
  type MenuSettings,
  need,
  rejectAnswer,
  type WriteText,
} from '../node.ts'
import { confirmWithPin } from '../questions.ts'

/** Writes what an agent looks up by the code that a caller reads out. */
export const codeWords = defineWords({
  en: {
    lookUp: 'Agents: find code',
    enterCode: 'For agents. Code of the withdrawal:',
    noSuchCode: 'No withdrawal of this code at a till of yours.',
    due: 'to pay out',
    paid: 'paid out',
    pinToPay: 'Enter PIN, then give the cash',
    pay: 'Use the code, then give cash',
    giveCash: 'The code is used up. Give the cash now.',
    paidOutAt: (time: string) => `Paid out at ${time}`,
    paidBefore: 'It was paid out before. Give no cash.',
  },
  sw: {
    lookUp: 'Wakala: tafuta msimbo',
    enterCode: 'Kwa mawakala. Msimbo wa kutoa pesa:',
    noSuchCode: 'Hakuna pesa za msimbo huu kwako.',
    due: 'bado kulipwa',
    paid: 'zimelipwa',
    pinToPay: 'PIN, kisha lipa',
    pay: 'Tumia msimbo, kisha toa pesa',
    giveCash: 'Msimbo umetumika. Toa pesa sasa.',
    paidOutAt: (time) => `Zililipwa ${time}`,
    paidBefore: 'Zililipwa tayari. Usitoe pesa.',
  },
  fr: {
    lookUp: 'Agents: chercher code',
    enterCode: 'Pour les agents. Code du retrait:',
    noSuchCode: 'Aucun retrait de ce code chez vous.',
    due: 'à payer',
    paid: 'payé',
    pinToPay: 'PIN, puis payez',
    pay: "Utiliser, puis donner l'argent",
    giveCash: "Le code est utilisé. Donnez l'argent maintenant.",
    paidOutAt: (time) => `Payé à ${time}`,
    paidBefore: "Déjà payé. Ne donnez pas d'argent.",
  },
  es: {
    lookUp: 'Agentes: buscar código',
    enterCode: 'Para agentes. Código del retiro:',
    noSuchCode: 'Ningún retiro de este código en una caja suya.',
    due: 'por pagar',
    paid: 'pagado',
    pinToPay: 'PIN, luego pague',
    pay: 'Usarlo, y luego dar el dinero',
    giveCash: 'El código ya está usado. Entregue el dinero ahora.',
    paidOutAt: (time) => `Pagado a las ${time}`,
    paidBefore: 'Ya se pagó antes. No entregue dinero.',
  },
})

export const codeEntry: Entry = {
  ...createEntry('1', codeWords, 'lookUp', 'code'),
  isShown: ({ activity }) => activity === 'unavailable' || activity.till !== undefined,
}

/** Creates the nodes that look up a withdrawal by its code, and say that it was paid out. */
export const createCodeNodes = (
  settings: MenuSettings,
  title: WriteText,
): Record<string, MenuNode> => ({
  code: {
    kind: 'question',
    prompt: ({ messages }) => `${codeWords(messages).enterCode}\n0. ${messages.back}`,
    *parseAnswer(code, { messages }) {
      const withdrawal = /^\d{6}$/.test(code) && (yield* need('withdrawal', code))
      return withdrawal
        ? acceptAnswer({ withdrawal: { code, ...withdrawal } })
        : rejectAnswer(codeWords(messages).noSuchCode)
    },
    targets: ['withdrawal', 'payOut'],
    selectTarget: ({ withdrawal }) => (withdrawal?.isPayable ? 'payOut' : 'withdrawal'),
    back: 'activity',
  },
  withdrawal: {
    kind: 'list',
    facts: ['withdrawal'],
    title,
    entries: [],
    back: 'code',
  },
  payOut: confirmWithPin(settings, {
    enterPin: (messages) => codeWords(messages).pinToPay,
    facts: ['withdrawal'],
    title,
    label: (messages) => codeWords(messages).pay,
    target: { name: 'payOut' },
    back: 'code',
  }),
})
