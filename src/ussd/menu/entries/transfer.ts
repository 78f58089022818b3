import { formatLocal, type LocalMoney } from '../../../loan/local-worth.ts'
import { defineWords } from '../../messages/texts.ts'
import { parseRecipient } from '../../recipient.ts'
import {
  type AnswerResult,
  acceptAmount,
  acceptAnswer,
  type DynamicEntries,
  type Effect,
  type MenuContext,
  type MenuList,
  type MenuQuestion,
  type MenuSettings,
  need,
  type PaymentPart,
  type QuestionTargets,
  rejectAnswer,
  requireAnswer,
  type Walking,
  type WriteText,
} from '../node.ts'
import {
  createAmountQuestion,
  createConfirmation,
  createPinQuestion,
  createRepeatQuestion,
  formatTransfer,
  listRateFacts,
  parseAmountAnswer,
} from '../questions.ts'
import { createCashOutEntry } from './cash-out.ts'
import { writeName } from './names.ts'

const words = defineWords({
  en: {
    label: 'Send Money',
    enterRecipient: 'Phone number or address to send to:\n0. Back',
    orRecipient: 'Or phone number or address:\n0. Back',
    recipientsUnavailable: 'Saved numbers cannot be shown now.',
    sending: (amount: string) => `Send ${amount}`,
    sendingTo: (to: string) => `To: ${to}`,
    unregistered: (code?: string) =>
      `Not registered yet${code ? `: has to dial ${code} to get it` : ''}`,
    registrationUnavailable: 'Registration cannot be shown now',
    creditsAccount: 'Stays inside this service: reaches NO wallet.',
    confirm: 'Send',
    credit: 'Send inside',
    enterPin: 'Enter PIN to send',
    submitted: (_: string, to: string, tx: string) =>
      `Transfer Submitted\nTo: ${to}\n${tx}\nFunds will arrive shortly.`,
    again: (amount: string, to: string) => `Send ${amount} to ${to}`,
    activityLine: (amount: string, to: string) => `Sent ${amount} to ${to}`,
    creditedMessage: (amount: string, to: string) =>
      `Done: the account of ${to} was credited with ${amount}.`,
  },
  sw: {
    label: 'Tuma Pesa',
    enterRecipient: 'Namba ya simu au anwani ya mpokeaji:\n0. Rudi',
    orRecipient: 'Au namba ya simu au anwani:\n0. Rudi',
    recipientsUnavailable: 'Namba zilizohifadhiwa haziwezi kuonyeshwa sasa.',
    sending: (amount) => `Tuma ${amount}`,
    sendingTo: (to) => `Kwa: ${to}`,
    unregistered: (code) => `Bado hajasajiliwa${code ? `: apige ${code} kuzipata` : ''}`,
    registrationUnavailable: 'Usajili hauwezi kuonyeshwa sasa',
    creditsAccount: 'Pesa zinabaki huduma hii, HAZIENDI pochini.',
    confirm: 'Tuma',
    credit: 'Tuma ndani',
    enterPin: 'Weka PIN kutuma',
    submitted: (_, to, tx) =>
      `Ombi la kutuma limepokelewa\nKwa: ${to}\n${tx}\nPesa zitafika hivi punde.`,
    again: (amount, to) => `Tuma ${amount} kwa ${to}`,
    activityLine: (amount, to) => `Ulituma ${amount} kwa ${to}`,
    creditedMessage: (amount, to) => `Imekamilika: akaunti ya ${to} imeongezewa ${amount}.`,
  },
  fr: {
    label: 'Envoyer',
    enterRecipient: 'Numéro ou adresse du destinataire:\n0. Retour',
    orRecipient: 'Ou numéro, ou adresse:\n0. Retour',
    recipientsUnavailable: 'Vos numéros ne peuvent être affichés.',
    sending: (amount) => `Envoyer ${amount}`,
    sendingTo: (to) => `À: ${to}`,
    unregistered: (code) => `Pas encore inscrit${code ? `: doit composer ${code}` : ''}`,
    registrationUnavailable: "L'inscription ne peut pas être affichée",
    creditsAccount: "L'argent reste dans ce service, PAS dans un portefeuille.",
    confirm: 'Envoyer',
    credit: 'Envoyer ici',
    enterPin: 'PIN pour envoyer',
    submitted: (_, to, tx) => `Envoi demandé\nÀ: ${to}\n${tx}\nL'argent arrivera bientôt.`,
    again: (amount, to) => `Envoyer ${amount} à ${to}`,
    activityLine: (amount, to) => `Envoyé ${amount} à ${to}`,
    creditedMessage: (amount, to) => `Terminé: le compte de ${to} a été crédité de ${amount}.`,
  },
  es: {
    label: 'Enviar dinero',
    enterRecipient: 'Número o dirección del destinatario:\n0. Atrás',
    orRecipient: 'O número, o dirección:\n0. Atrás',
    recipientsUnavailable: 'Ahora no se pueden mostrar sus números.',
    sending: (amount) => `Enviar ${amount}`,
    sendingTo: (to) => `Para: ${to}`,
    unregistered: (code) => `Aún no registrado${code ? `: debe marcar ${code}` : ''}`,
    registrationUnavailable: 'Ahora no se puede mostrar el registro',
    creditsAccount: 'El dinero queda en este servicio, NO va a una billetera.',
    confirm: 'Enviar',
    credit: 'Enviar aquí',
    enterPin: 'PIN para enviar',
    submitted: (_, to, tx) => `Envío solicitado\nPara: ${to}\n${tx}\nEl dinero llegará pronto.`,
    again: (amount, to) => `Enviar ${amount} a ${to}`,
    activityLine: (amount, to) => `Envió ${amount} a ${to}`,
    creditedMessage: (amount, to) => `Hecho: se abonó ${amount} a la cuenta de ${to}.`,
  },
  demo: {
    label: 'Send Money (P2P)',
    enterRecipient: 'Enter Recipient Address:_________',
    creditsAccount: 'Credits an account of this service, NOT a wallet.',
    credit: 'Credit account',
  },
})

const transferEffect: Effect = { name: 'transfer' }

export const transfer = {
  words,
  digit: '2',
  findTarget: () => 'recipient',
  // A strict PIN guards past recipients, because they are data of the account.
  dynamicEntries: ({ profile, confirms, pin, localCurrency }) =>
    profile === 'lender' && confirms && pin !== 'strict'
      ? createRepeatEntries(localCurrency)
      : undefined,
  createNodes: (settings) => ({
    recipient: createRecipientQuestion(settings),
    amount: createAmountQuestion(settings, selectConfirmation(settings), 'recipient'),
    confirmPhone: createPhoneConfirmation(settings),
    ...(settings.recipientNames && { confirmName: createNameConfirmation(settings) }),
    confirmAddress: {
      facts: listRateFacts(settings),
      kind: 'list',
      paymentKind: 'transfer',
      title: (context, draft, facts) =>
        `${writeTitle(context, draft, facts)}\n${words(context.messages).creditsAccount}`,
      entries: [
        {
          digit: '1',
          label: (messages) => words(messages).credit,
          ...(settings.pin === 'off' ? sendEntry : { target: 'pinToSend' }),
        },
        createCashOutEntry('2', settings.pin !== 'off'),
      ],
      back: 'amount',
    },
    pinToSend: createPinQuestion({
      enterPin: (messages) => words(messages).enterPin,
      title: writeTitle,
      ...sendEntry,
      back: 'confirmAddress',
      facts: listRateFacts(settings),
    }),
    repeat: createRepeatQuestion(settings, transferEffect, {
      digit: '2',
      back: 'amount',
      backLabel: ({ change }) => change,
    }),
  }),
} satisfies PaymentPart

const sendEntry = { target: transferEffect, repeatQuestion: 'repeat' }

const writeTitle: WriteText = (context, draft, facts) => {
  const [amount, to] = formatTransfer(context, draft, facts)
  const { sending, sendingTo } = words(context.messages)
  return `${sending(amount)}\n${sendingTo(to)}`
}

function createRecipientQuestion({ profile }: MenuSettings): MenuQuestion {
  const isDemo = profile === 'demo'
  return {
    kind: 'question',
    ...(!isDemo && { paymentKind: 'transfer', facts: ['recipients'] }),
    prompt({ messages }, _, { recipients }) {
      const { enterRecipient, orRecipient, recipientsUnavailable } = words(messages)
      if (recipients === 'unavailable') return `${recipientsUnavailable}\n${enterRecipient}`
      if (isDemo || recipients.length === 0) return enterRecipient
      const lines = recipients.map(({ label }, index) => `${index + 1}. ${label}`)
      return [...lines, orRecipient].join('\n')
    },
    *parseAnswer(typed, context) {
      const known = /^[1-9]$/.test(typed) && (yield* need('recipients'))[Number(typed) - 1]
      if (known) return acceptAnswer({ recipient: known })
      const parsed = parseRecipient(typed, context)
      if (parsed.kind === 'recipient') return acceptAnswer({ recipient: parsed.recipient })
      const { fault, unlisted: phone } = parsed
      return phone !== undefined && (yield* need('hasAccount', phone))
        ? acceptAnswer({ recipient: { kind: 'phone', phone } })
        : rejectAnswer(context.messages.badRecipient[fault])
    },
    targets: ['amount'],
    back: 'main',
  }
}

/**
 * Offers to repeat recent transfers, by digits from `11` on. One in local money repeats that, at
 * the session's rate; without a rate it repeats what was sent for it.
 */
const createRepeatEntries = (localCurrency: string | undefined): DynamicEntries => ({
  writeLines: ({ messages, showAmount }, { recipients }) =>
    recipients === 'unavailable'
      ? [words(messages).recipientsUnavailable]
      : recipients.flatMap(({ label, amountWei, local }, index) => {
          if (amountWei === undefined) return []
          const isLocal = local !== undefined && local.currency === localCurrency
          const amount = isLocal ? formatLocal(local) : showAmount(amountWei)
          return [`1${index + 1}. ${words(messages).again(amount, label)}`]
        }),
  *parseAnswer(typed, context) {
    const recipient = /^1[1-9]$/.test(typed) && (yield* need('recipients'))[Number(typed) - 11]
    if (!recipient || recipient.amountWei === undefined)
      return rejectAnswer(context.messages.unknownChoice)
    const amount = yield* repeatAmount(recipient.amountWei, recipient.local, context)
    return amount.kind === 'accepted' ? acceptAnswer({ recipient, ...amount.draft }) : amount
  },
  target: 'confirmPhone',
})

/** Reads an amount of before at this session's rate; without one it stays as it was. */
export function* repeatAmount(
  amountWei: bigint,
  local: LocalMoney | undefined,
  context: MenuContext,
): Walking<AnswerResult> {
  if (local === undefined) return acceptAmount(amountWei)
  const rate = yield* need('rate')
  if (rate === 'none' || rate.currency !== local.currency) return acceptAmount(amountWei)
  const typed = local.cents.padStart(3, '0').replace(/(?=..$)/, '.')
  return yield* parseAmountAnswer(typed, context, context.minTransferWei)
}

function selectConfirmation({ confirms }: MenuSettings): QuestionTargets {
  if (!confirms) return { targets: [transferEffect] }
  return {
    targets: ['confirmPhone', 'confirmAddress'],
    selectTarget: ({ recipient }) =>
      requireAnswer(recipient).kind === 'address' ? 'confirmAddress' : 'confirmPhone',
  }
}

const writeNamedTitle: WriteText = (context, draft, facts) => {
  const { recipientName: name } = facts
  const nameLines = name === 'none' ? [] : [writeName(context.messages, name)]
  return [writeTitle(context, draft, facts), ...nameLines].join('\n')
}

/**
 * Creates the last question, which shows the recipient's name, if there is one. It stands behind
 * the PIN, which callers take for the end: so it begins with what is true, and ends with the key.
 */
const createNameConfirmation = (settings: MenuSettings): MenuList => ({
  kind: 'list',
  facts: [...listRateFacts(settings), 'recipientName'],
  title: (context, draft, facts) =>
    `${context.messages.notSentYet}\n${writeNamedTitle(context, draft, facts)}`,
  retryText: writeNamedTitle,
  entriesLast: true,
  entries: [{ digit: '1', label: (messages) => words(messages).confirm, ...sendEntry }],
  back: 'amount',
  backLabel: ({ change }) => change,
})

const createPhoneConfirmation = (settings: MenuSettings) =>
  createConfirmation(settings, {
    ...(settings.recipientNames ? { target: 'confirmName' } : sendEntry),
    enterPin: (messages) =>
      settings.recipientNames ? messages.pin.enter.see : words(messages).enterPin,
    label: (messages) => words(messages).confirm,
    paymentKind: 'transfer',
    facts: ['registration'],
    title: (context, draft, facts) => {
      const { unregistered, registrationUnavailable } = words(context.messages)
      const { registration } = facts
      const note =
        registration === 'unavailable' ? registrationUnavailable : unregistered(settings.shortCode)
      return [
        writeTitle(context, draft, facts),
        ...(registration === 'registered' ? [] : [note]),
        context.messages.receipt.noFee,
      ].join('\n')
    },
    retryText: (context, draft, facts) =>
      `${writeTitle(context, draft, facts)}\n${context.messages.receipt.noFee}`,
    back: 'amount',
  })
