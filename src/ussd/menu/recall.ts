import { formatLocal } from '../../loan/local-worth.ts'
import { defineWords, writeTime } from '../messages/texts.ts'
import type { DraftRecall } from '../recipient.ts'
import { createWorthFormats } from '../screens/amount-formats.ts'
import { goOn } from './entries/go-on.ts'
import {
  acceptAnswer,
  createEntry,
  type Effect,
  type Entry,
  type MenuContext,
  type MenuList,
  type MenuPart,
  type MenuSettings,
  type NodeName,
  need,
  rejectAnswer,
  requireAnswer,
} from './node.ts'
import { confirmWithPin, createPinQuestion, listRateFacts } from './questions.ts'

/** Writes what a sender who calls a payment a mistake sees, and its receiver. */
export const recallWords = defineWords({
  en: {
    label: 'Wrong number?',
    which: (days: number) =>
      `Which payment? You can ask once in ${days} ${days === 1 ? 'day' : 'days'}.`,
    line: (amount: string, to: string) => `${amount} to ${to}`,
    ask: (line: string) =>
      `${line}: hold what is unspent of it for 24 hours? It comes back only if they agree.`,
    hold: 'Hold it',
    nothing: 'No payment of yours can be held now.',
    notNow: (days: number, help?: string) =>
      `You can ask once in ${days} ${days === 1 ? 'day' : 'days'}, and did. Nothing can be held now.${help ? ` Call ${help}.` : ''}`,
    notBack: (amount: string, to: string) =>
      `${amount} to ${to} is not held any more. It was not given back: the receiver has it.`,
    isHeld: (amount: string, until: string) =>
      `${amount} is held until ${until}. It comes back only if the receiver agrees.`,
    arriving: 'It is still on its way. Nothing is held. Please try again in a minute.',
    unknown:
      'It cannot be seen now what is unspent. Nothing is held. Please try again in a few minutes.',
    spent: 'It is spent. Nothing is held.',
    refused: 'This payment cannot be held any more. Nothing is held.',
    mistaken: (amount: string, from: string, until: string) =>
      `${from} says ${amount} to you was a mistake. Held until ${until}.`,
    onlyYou: (code?: string) => `It goes back only if you agree${code ? `: dial ${code}` : ''}.`,
    unnamed: 'A payment to you may be a mistake, its sender says.',
    giveBack: 'Give it back',
    keep: 'Keep it',
    kept: 'You keep it. It is not held any more.',
    ended: 'It is not held any more.',
    untilLine: (amount: string, until: string) => `Held until ${until}: ${amount}.`,
    heldLine: (amount: string) => `Held, its sender says it was a mistake: ${amount}`,
    recalled: (amount: string, until: string) =>
      `${amount} is held until ${until}: its sender says it was a mistake. Nothing was sent. You can send less, or send it back.`,
    lessHeld: 'Less than this is held. Nothing was sent. Please dial again.',
  },
  sw: {
    label: 'Namba si sahihi?',
    which: (days) => `Malipo yapi? Unaweza kuomba mara 1 kwa siku ${days}.`,
    line: (amount, to) => `${amount} kwa ${to}`,
    ask: (line) => `${line}: zuia ambazo hazijatumika kwa saa 24? Zitarudi tu akikubali.`,
    hold: 'Zuia',
    nothing: 'Hakuna malipo yako yanayoweza kuzuiwa sasa.',
    notNow: (days, help) =>
      `Unaweza kuomba mara 1 kwa siku ${days}, na umeomba. Hakuna kinachoweza kuzuiwa sasa.${help ? ` Piga ${help}.` : ''}`,
    notBack: (amount, to) =>
      `${amount} kwa ${to} hazijazuiwa tena. Hazikurudishwa: mpokeaji anazo.`,
    isHeld: (amount, until) => `${amount} zimezuiwa hadi ${until}. Zitarudi tu mpokeaji akikubali.`,
    arriving: 'Bado ziko njiani. Hakuna kilichozuiwa. Jaribu tena baada ya dakika moja.',
    unknown:
      'Haijulikani sasa ni kiasi gani hakijatumika. Hakuna kilichozuiwa. Jaribu tena baada ya dakika chache.',
    spent: 'Zimeshatumika. Hakuna kilichozuiwa.',
    refused: 'Malipo haya hayawezi kuzuiwa tena. Hakuna kilichozuiwa.',
    mistaken: (amount, from, until) =>
      `${from} anasema alikosea kukutumia ${amount}. Zimezuiwa hadi ${until}.`,
    onlyYou: (code) => `Zitarudi tu ukikubali${code ? `: piga ${code}` : ''}.`,
    unnamed: 'Mtu anasema alikosea kukutumia pesa.',
    giveBack: 'Rudisha',
    keep: 'Baki nazo',
    kept: 'Umebaki nazo. Hazijazuiwa tena.',
    ended: 'Hazijazuiwa tena.',
    untilLine: (amount, until) => `Zimezuiwa hadi ${until}: ${amount}.`,
    heldLine: (amount) => `Zimezuiwa, aliyetuma anasema alikosea: ${amount}`,
    recalled: (amount, until) =>
      `${amount} zimezuiwa hadi ${until}: aliyetuma anasema alikosea. Hakuna kilichotumwa. Tuma kidogo, au zirudishe.`,
    lessHeld: 'Zilizozuiwa ni chini ya kiasi hiki. Hakuna kilichotumwa. Tafadhali piga tena.',
  },
  fr: {
    label: 'Mauvais numéro?',
    which: (days) =>
      `Quel paiement? Possible une fois en ${days} ${days === 1 ? 'jour' : 'jours'}.`,
    line: (amount, to) => `${amount} à ${to}`,
    ask: (line) =>
      `${line}: retenir ce qui n'est pas dépensé pendant 24 heures? Rien ne revient sans son accord.`,
    hold: 'Retenir',
    nothing: "Aucun de vos paiements ne peut être retenu à l'instant.",
    notNow: (days, help) =>
      `Possible une fois en ${days} ${days === 1 ? 'jour' : 'jours'}, et c'est fait. Rien ne peut être retenu maintenant.${help ? ` Appelez le ${help}.` : ''}`,
    notBack: (amount, to) =>
      `${amount} à ${to} n'est plus retenu. Rien n'a été rendu: le destinataire l'a.`,
    isHeld: (amount, until) =>
      `${amount} retenu jusqu'à ${until}. Rien ne revient sans l'accord du destinataire.`,
    arriving: "Il est encore en route. Rien n'est retenu. Réessayez dans une minute.",
    unknown:
      "On ne peut pas voir ce qui reste. Rien n'est retenu. Réessayez dans quelques minutes.",
    spent: "Il est dépensé. Rien n'est retenu.",
    refused: "Ce paiement ne peut plus être retenu. Rien n'est retenu.",
    mistaken: (amount, from, until) =>
      `${from} dit vous avoir envoyé ${amount} par erreur. Retenu jusqu'à ${until}.`,
    onlyYou: (code) => `Rien ne repart sans votre accord${code ? `: composez ${code}` : ''}.`,
    unnamed: "Quelqu'un dit vous avoir payé par erreur.",
    giveBack: 'Rendre',
    keep: 'Garder',
    kept: "Vous le gardez. Il n'est plus retenu.",
    ended: "Il n'est plus retenu.",
    untilLine: (amount, until) => `Retenu jusqu'à ${until}: ${amount}.`,
    heldLine: (amount) => `Retenu, l'expéditeur dit s'être trompé: ${amount}`,
    recalled: (amount, until) =>
      `${amount} retenu jusqu'à ${until}: l'expéditeur dit s'être trompé. Rien n'a été envoyé. Envoyez moins, ou renvoyez-le.`,
    lessHeld: "Moins que ce montant est retenu. Rien n'a été envoyé. Veuillez recomposer.",
  },
  es: {
    label: '¿Número equivocado?',
    which: (days) => `¿Qué pago? Se puede pedir una vez en ${days} ${days === 1 ? 'día' : 'días'}.`,
    line: (amount, to) => `${amount} a ${to}`,
    ask: (line) =>
      `${line}: ¿retener 24 horas lo que no se gastó? Solo vuelve si la otra persona acepta.`,
    hold: 'Retener',
    nothing: 'Ahora no se puede retener ningún pago suyo.',
    notNow: (days, help) =>
      `Se puede pedir una vez en ${days} ${days === 1 ? 'día' : 'días'}, y ya se hizo. Ahora no se puede retener nada.${help ? ` Llame al ${help}.` : ''}`,
    notBack: (amount, to) =>
      `${amount} a ${to} ya no está retenido. No se devolvió: lo tiene quien lo recibió.`,
    isHeld: (amount, until) =>
      `${amount} retenido hasta ${until}. Solo vuelve si quien lo recibió acepta.`,
    arriving: 'Aún está en camino. No se retuvo nada. Intente de nuevo en un minuto.',
    unknown:
      'Ahora no se puede ver cuánto queda. No se retuvo nada. Intente de nuevo en unos minutos.',
    spent: 'Ya se gastó. No se retuvo nada.',
    refused: 'Este pago ya no se puede retener. No se retuvo nada.',
    mistaken: (amount, from, until) =>
      `${from} dice que le envió ${amount} por error. Retenido hasta ${until}.`,
    onlyYou: (code) => `Solo vuelve si usted acepta${code ? `: marque ${code}` : ''}.`,
    unnamed: 'Alguien dice que le pagó por error.',
    giveBack: 'Devolver',
    keep: 'Quedármelo',
    kept: 'Usted se lo queda. Ya no está retenido.',
    ended: 'Ya no está retenido.',
    untilLine: (amount, until) => `Retenido hasta ${until}: ${amount}.`,
    heldLine: (amount) => `Retenido, quien lo envió dice que se equivocó: ${amount}`,
    recalled: (amount, until) =>
      `${amount} retenido hasta ${until}: quien lo envió dice que se equivocó. No se envió nada. Envíe menos o devuélvalo.`,
    lessHeld: 'Hay menos que esto retenido. No se envió nada. Por favor, marque de nuevo.',
  },
})

/** Names where a session of the receiver starts, while something is held back. */
export const getRecalledStart = ({ pin }: Pick<MenuSettings, 'pin'>): NodeName =>
  pin === 'strict' ? 'pinToSeeRecalled' : 'recalled'

export const hasRecalls = ({ profile, recalls }: MenuSettings): boolean =>
  profile !== 'demo' && recalls.withinMs > 0

export const recallFacts = ['recallable', 'isRecallSpent'] as const

/** Leads from the caller's activity to the payment that may be a mistake, if there is one. */
export const recallEntry: Entry = {
  ...createEntry('2', recallWords, 'label', 'wrongNumber'),
  isShown: ({ recallable, isRecallSpent }) => recallable.length > 0 || isRecallSpent,
}

const keepEffect: Effect = { name: 'keep' }

/** Names a payment of the caller: its amount, and to whom. */
const writeLine = ({ messages, showAmount }: MenuContext, payment: DraftRecall): string => {
  const { amountWei, agreed, recipient } = payment
  const amount = agreed === undefined ? showAmount(amountWei) : formatLocal(agreed)
  return recallWords(messages).line(amount, recipient.label)
}

/** Asks which of the last payments to have held back; a redelivery selects the same one. */
const createWrongNumber = ({ recalls, helpNumber }: MenuSettings): MenuList => ({
  kind: 'list',
  facts: recallFacts,
  title({ messages }, _, { recallable, isRecallSpent }) {
    const { which, nothing, notNow } = recallWords(messages)
    const days = recalls.everyMs / 86_400_000
    if (recallable.length > 0) return which(days)
    return isRecallSpent ? notNow(days, helpNumber) : nothing
  },
  entries: [],
  dynamicEntries: {
    writeLines: (context, { recallable }) =>
      recallable.map((each, index) => `${index + 1}. ${writeLine(context, each)}`),
    *parseAnswer(typed, { messages }) {
      const recall = /^[1-9]$/.test(typed) && (yield* need('recallable'))[Number(typed) - 1]
      return recall ? acceptAnswer({ recall }) : rejectAnswer(messages.unknownChoice)
    },
    target: 'toHold',
  },
  back: 'activity',
})

/** Lets a sender have a payment held back, and its receiver decide. No digit leads here. */
export const recallPart = {
  words: recallWords,
  createNodes(settings) {
    // What is held stays so where callers can have nothing more held.
    if (settings.profile === 'demo') return {}
    const isOpen = settings.pin === 'off'
    return {
      recalled: {
        kind: 'list',
        facts: listRateFacts(settings),
        title(context, { recall: payment }, { rate = 'none' }) {
          const { recipient, amountWei, until = 0 } = requireAnswer(payment)
          const { messages } = context
          return recallWords(messages).mistaken(
            createWorthFormats(context, rate).inShort.show(amountWei),
            recipient.label,
            writeTime(messages, until),
          )
        },
        retryText: () => '',
        // As no entry of the main menu has them, no habit gives back or keeps.
        entries: [
          createEntry('91', recallWords, 'giveBack', 'confirmPhone'),
          createEntry('92', recallWords, 'keep', isOpen ? keepEffect : 'pinToKeep'),
        ],
        back: 'main',
        backLabel: (messages) => goOn.words(messages).menu,
      },
      ...(!isOpen && {
        pinToKeep: createPinQuestion({
          facts: listRateFacts(settings),
          title(context, { recall: payment }, { rate = 'none' }) {
            const { amountWei, recipient } = requireAnswer(payment)
            const amount = createWorthFormats(context, rate).inShort.show(amountWei)
            return `${recallWords(context.messages).keep}: ${amount}, ${recipient.label}`
          },
          target: keepEffect,
          back: 'recalled',
        }),
      }),
      ...(settings.pin === 'strict' && {
        pinToSeeRecalled: createPinQuestion({
          title: ({ messages }) => recallWords(messages).unnamed,
          target: 'recalled',
        }),
      }),
      ...(hasRecalls(settings) && {
        wrongNumber: createWrongNumber(settings),
        toHold: confirmWithPin(settings, {
          title: (context, { recall }) =>
            recallWords(context.messages).ask(writeLine(context, requireAnswer(recall))),
          retryText: (context, { recall }) => writeLine(context, requireAnswer(recall)),
          // No entry of the list before has this digit: what is typed twice holds nothing.
          digit: '4',
          label: (messages) => recallWords(messages).hold,
          target: { name: 'recall' },
          back: 'wrongNumber',
        }),
      }),
    }
  },
} satisfies MenuPart
