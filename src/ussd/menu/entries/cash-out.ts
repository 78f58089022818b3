import { isWalletCode } from '../../../account/check-digit.ts'
import type { Wallet } from '../../../account/wallets.ts'
import { defineWords } from '../../messages/texts.ts'
import { findAddressFault, parseRecipient, type RecipientFault } from '../../recipient.ts'
import {
  type AnswerResult,
  acceptAnswer,
  type Effect,
  type Entry,
  type MenuContext,
  type MenuNode,
  type MenuSettings,
  type NodeName,
  need,
  type PaymentPart,
  rejectAnswer,
  type SessionDraft,
  type Walking,
  type WriteText,
} from '../node.ts'
import {
  createAmountQuestion,
  createConfirmation,
  createRepeatQuestion,
  formatTransfer,
  parseTillAnswer,
} from '../questions.ts'
import { createWalletNodes } from './wallets.ts'

const words = defineWords({
  en: {
    label: 'Cash Out',
    enterWallet: 'Address of your wallet outside, or its code:\n0. Back',
    enterAgent: 'Till of an agent, or wallet (address or code):\n0. Back',
    unknownAgent: 'No agent has this number.',
    walletsUnavailable: 'Saved wallets cannot be shown now.',
    unknownCode: 'This code is not known, or too old.',
    isChanged: (hours: number) => `Changed: it pays in ${hours} h.`,
    tooManyWallets: 'You have 3 wallets already.',
    invalidAddress: 'Not the address of a wallet.',
    confirmCashOut: (amount: string, to: string) =>
      `Cash out ${amount}\nTo wallet: ${to}\nIt cannot be taken back.`,
    confirm: 'Cash out to wallet',
    submitted: (amount: string, to: string, tx: string) =>
      `Cash Out Submitted\nTo: ${to}\nAmount: ${amount}\n${tx}\nIt will arrive shortly.`,
    activityLine: (amount: string, to: string) => `Cashed out ${amount} to wallet ${to}`,
  },
  sw: {
    label: 'Toa Pesa',
    enterWallet: 'Anwani ya pochi yako ya nje, au msimbo wake:\n0. Rudi',
    enterAgent: 'Till ya wakala, au pochi (anwani au msimbo):\n0. Rudi',
    unknownAgent: 'Hakuna wakala mwenye namba hii.',
    walletsUnavailable: 'Pochi zako haziwezi kuonyeshwa sasa.',
    unknownCode: 'Msimbo huu haujulikani, au umepitwa na muda.',
    isChanged: (hours) => `Imebadilishwa: italipa baada ya saa ${hours}.`,
    tooManyWallets: 'Una pochi 3 tayari.',
    invalidAddress: 'Hii si anwani ya pochi.',
    confirmCashOut: (amount, to) => `Toa ${amount}\nKwa pochi: ${to}\nHaziwezi kurudishwa.`,
    confirm: 'Toa kwenda pochi',
    submitted: (amount, to, tx) =>
      `Ombi la kutoa limepokelewa\nKwa: ${to}\nKiasi: ${amount}\n${tx}\nZitafika hivi punde.`,
    activityLine: (amount, to) => `Ulitoa ${amount} kwa pochi ${to}`,
  },
  fr: {
    label: 'Retirer',
    enterWallet: 'Portefeuille externe (adresse ou code):\n0. Retour',
    enterAgent: 'Agent (caisse) ou portefeuille:\n0. Retour',
    unknownAgent: "Aucun agent n'a ce numéro.",
    walletsUnavailable: 'Portefeuilles: liste indisponible.',
    unknownCode: 'Code inconnu, ou trop ancien.',
    isChanged: (hours) => `Modifié: il paiera dans ${hours} h.`,
    tooManyWallets: 'Vous avez déjà 3 portefeuilles.',
    invalidAddress: "Ce n'est pas une adresse de portefeuille.",
    confirmCashOut: (amount, to) =>
      `Retirer ${amount}\nAu portefeuille: ${to}\nC'est irréversible.`,
    confirm: 'Retirer au portefeuille',
    submitted: (amount, to, tx) =>
      `Retrait demandé\nÀ: ${to}\nMontant: ${amount}\n${tx}\nIl arrivera bientôt.`,
    activityLine: (amount, to) => `Retiré ${amount} vers le portefeuille ${to}`,
  },
  es: {
    label: 'Retirar',
    enterWallet: 'Billetera externa (dirección o código):\n0. Atrás',
    enterAgent: 'Agente (caja) o billetera:\n0. Atrás',
    unknownAgent: 'Ningún agente tiene este número.',
    walletsUnavailable: 'No se pueden mostrar sus billeteras.',
    unknownCode: 'Código desconocido, o vencido.',
    isChanged: (hours) => `Cambiada: paga en ${hours} h.`,
    tooManyWallets: 'Ya tiene 3 billeteras.',
    invalidAddress: 'No es la dirección de una billetera.',
    confirmCashOut: (amount, to) =>
      `Retirar ${amount}\nA la billetera: ${to}\nNo se puede deshacer.`,
    confirm: 'Retirar a billetera',
    submitted: (amount, to, tx) =>
      `Retiro solicitado\nPara: ${to}\nMonto: ${amount}\n${tx}\nLlegará pronto.`,
    activityLine: (amount, to) => `Retiró ${amount} a la billetera ${to}`,
  },
})

const cashOutEffect: Effect = { name: 'cashOut' }

const writeTitle: WriteText = (context, draft, facts) =>
  words(context.messages).confirmCashOut(...formatTransfer(context, draft, facts))

/** Leaves out the warning, which the screen before had, so that a mistake has room. */
const writeRetry: WriteText = (context, draft, facts) => {
  const [amount = '', to = ''] = writeTitle(context, draft, facts).split('\n')
  return `${amount}\n${to}`
}

export const createCashOutEntry = (digit: string, isPinAsked: boolean): Entry => ({
  digit,
  label: (messages) => words(messages).confirm,
  ...(isPinAsked
    ? { target: 'pinToCashOut' }
    : { target: cashOutEffect, repeatQuestion: 'repeatCashOut' }),
})

/** Accepts a saved wallet by its digit, or a new one by its code. */
function* chooseWallet(typed: string, context: MenuContext): Walking<AnswerResult> {
  const { invalidAddress, unknownCode, tooManyWallets, isChanged } = words(context.messages)
  if (isWalletCode(typed)) {
    const codeResult = yield* need('walletCode', typed)
    if (codeResult.kind === 'found') {
      const { wallet, replaces } = codeResult
      return acceptWallet(wallet, context, { wallet: { ...wallet, code: typed, replaces } })
    }
    return rejectAnswer(codeResult.kind === 'full' ? tooManyWallets : unknownCode)
  }
  const wallet = (yield* need('wallets'))[Number(typed) - 1]
  if (wallet === undefined) return rejectAnswer(invalidAddress)
  const { name, address, hours } = wallet
  if (hours !== undefined) return rejectAnswer(isChanged(hours))
  const recipient = { kind: 'address', name, address } as const
  return acceptWallet(wallet, context, { recipient, wallet: undefined })
}

const isAddressFault = (fault: RecipientFault): boolean =>
  fault !== 'unknown_form' && fault !== 'own_number'

/** Accepts a saved wallet, unless an earlier version saved what is nobody's. */
function acceptWallet(
  { address }: Wallet,
  context: MenuContext,
  draft: SessionDraft,
): AnswerResult {
  const fault = findAddressFault(address, context)
  return fault === undefined
    ? acceptAnswer(draft)
    : rejectAnswer(context.messages.badRecipient[fault])
}

const createCashOutConfirmation = (settings: MenuSettings, back: NodeName): MenuNode =>
  createConfirmation(settings, {
    label: (messages) => words(messages).confirm,
    title: writeTitle,
    retryText: writeRetry,
    paymentKind: 'cashOut',
    target: cashOutEffect,
    repeatQuestion: 'repeatCashOut',
    back,
  })

/** Cashes out to an outside wallet, or through an agent. It confirms, as nobody can undo it. */
export const cashOut = {
  words,
  digit: '7',
  findTarget: ({ profile }) => (profile === 'demo' ? undefined : 'wallet'),
  createNodes: (settings) => ({
    wallet: {
      kind: 'question',
      paymentKind: 'cashOut',
      facts: ['wallets'],
      prompt({ messages }, _, { wallets }) {
        const { enterWallet, enterAgent, walletsUnavailable } = words(messages)
        const promptText = settings.agents ? enterAgent : enterWallet
        if (wallets === 'unavailable') return `${walletsUnavailable}\n${promptText}`
        return [...wallets.map(({ name }, index) => `${index + 1}. ${name}`), promptText].join('\n')
      },
      parseAnswer: (typed, context) => {
        if (settings.agents && /^[0-9]{5,6}$/.test(typed)) {
          return parseTillAnswer(typed, context, words(context.messages).unknownAgent, 'agent')
        }
        if (/^[1-9]$/.test(typed) || isWalletCode(typed)) return chooseWallet(typed, context)
        const parsed = parseRecipient(typed, context)
        const isAddress = parsed.kind === 'recipient' && parsed.recipient.kind === 'address'
        if (isAddress) return acceptAnswer({ recipient: parsed.recipient, wallet: undefined })
        return parsed.kind === 'fault' && isAddressFault(parsed.fault)
          ? rejectAnswer(context.messages.badRecipient[parsed.fault])
          : rejectAnswer(words(context.messages).invalidAddress)
      },
      targets: ['walletAmount', 'newWallet', ...(settings.agents ? ['agentAmount'] : [])],
      selectTarget({ recipient, wallet }) {
        if (wallet !== undefined) return 'newWallet'
        return recipient?.kind === 'till' ? 'agentAmount' : 'walletAmount'
      },
      back: 'main',
    },
    ...createWalletNodes(settings),
    walletAmount: createAmountQuestion(settings, { targets: ['confirmCashOut'] }, 'wallet'),
    confirmCashOut: createCashOutConfirmation(settings, 'walletAmount'),
    // The transfer's confirmation of an address leads here, by `createCashOutEntry`.
    pinToCashOut: createCashOutConfirmation(settings, 'confirmAddress'),
    // It has no `back`, because two nodes lead here.
    repeatCashOut: createRepeatQuestion(settings, cashOutEffect),
  }),
} satisfies PaymentPart

const withdrawalWords = defineWords({
  en: {
    label: 'Withdraw',
    confirmWithdrawal: (amount: string, to: string) => `Withdraw ${amount}\nAgent: ${to}`,
    submitted: (amount: string, to: string, tx: string, code: string) =>
      `Withdrawal Submitted\nAgent: ${to}\nAmount: ${amount}\nCode for agent: ${code}\n${tx}\nCash once it is done.`,
    activityLine: (amount: string, to: string) => `Withdrew ${amount} at ${to}`,
    creditedMessage: (amount: string, to: string) =>
      `Ask ${to} for your cash, ${amount}, with your code: see 5.`,
  },
  sw: {
    label: 'Toa kwa Wakala',
    confirmWithdrawal: (amount, to) => `Toa ${amount}\nWakala: ${to}`,
    submitted: (amount, to, tx, code) =>
      `Ombi limetumwa\nWakala: ${to}\nKiasi: ${amount}\nMpe msimbo: ${code}\n${tx}\nUtalipwa ikikamilika.`,
    activityLine: (amount, to) => `Ulitoa ${amount} kwa wakala ${to}`,
    creditedMessage: (amount, to) =>
      `Mwombe ${to} pesa zako, ${amount}, kwa msimbo wako: tazama 5.`,
  },
  fr: {
    label: 'Retirer',
    confirmWithdrawal: (amount, to) => `Retirer ${amount}\nAgent: ${to}`,
    submitted: (amount, to, tx, code) =>
      `Retrait demandé\nAgent: ${to}\nMontant: ${amount}\nCode pour agent: ${code}\n${tx}\nPayé dès que fini.`,
    activityLine: (amount, to) => `Retiré ${amount} chez ${to}`,
    creditedMessage: (amount, to) =>
      `Demandez votre argent à ${to}, ${amount}, avec votre code: voir 5.`,
  },
  es: {
    label: 'Retirar',
    confirmWithdrawal: (amount, to) => `Retirar ${amount}\nAgente: ${to}`,
    submitted: (amount, to, tx, code) =>
      `Retiro solicitado\nAgente: ${to}\nMonto: ${amount}\nCódigo para agente: ${code}\n${tx}\nSe paga al terminar.`,
    activityLine: (amount, to) => `Retiró ${amount} con ${to}`,
    creditedMessage: (amount, to) => `Pida su dinero a ${to}, ${amount}, con su código: vea 5.`,
  },
})

const withdrawalEffect: Effect = { name: 'withdrawal' }

const writeWithdrawal: WriteText = (context, draft, facts) =>
  withdrawalWords(context.messages).confirmWithdrawal(...formatTransfer(context, draft, facts))

/** Sends money to an agent who hands out cash; the entry Cash Out leads here. */
export const withdrawal = {
  words: (messages) => ({ ...words(messages), ...withdrawalWords(messages) }),
  createNodes: (settings) =>
    settings.agents
      ? {
          agentAmount: createAmountQuestion(settings, { targets: ['confirmWithdrawal'] }, 'wallet'),
          confirmWithdrawal: createConfirmation(settings, {
            label: (messages) => withdrawalWords(messages).label,
            title: (context, draft, facts) =>
              `${writeWithdrawal(context, draft, facts)}\n${context.messages.receipt.noFee}`,
            retryText: writeWithdrawal,
            paymentKind: 'withdrawal',
            target: withdrawalEffect,
            repeatQuestion: 'repeatWithdrawal',
            back: 'agentAmount',
          }),
          repeatWithdrawal: createRepeatQuestion(settings, withdrawalEffect),
        }
      : {},
} satisfies PaymentPart
