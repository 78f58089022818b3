import { formatLocal } from '../../../loan/local-worth.ts'
import { defineWords } from '../../messages/texts.ts'
import {
  acceptAnswer,
  type MenuPart,
  type NodeName,
  rejectAnswer,
  type WriteText,
} from '../node.ts'
import { formatTransfer } from '../questions.ts'
import { repeatAmount } from './transfer.ts'

const words = defineWords({
  en: {
    label: 'Go on',
    wasCut: 'You were cut off. Nothing was sent.',
    unsent: (amount: string, to: string) => `Amount: ${amount}\nTo: ${to}`,
    menu: 'Menu',
  },
  sw: {
    label: 'Endelea',
    wasCut: 'Ulikatika. Hakuna kilichotumwa.',
    unsent: (amount, to) => `Kiasi: ${amount}\nKwa: ${to}`,
    menu: 'Menyu',
  },
  fr: {
    label: 'Continuer',
    wasCut: "Session coupée. Rien n'a été envoyé.",
    unsent: (amount, to) => `Montant: ${amount}\nÀ: ${to}`,
    menu: 'Menu',
  },
  es: {
    label: 'Continuar',
    wasCut: 'Se cortó la sesión. No se envió nada.',
    unsent: (amount, to) => `Monto: ${amount}\nPara: ${to}`,
    menu: 'Menú',
  },
})

const confirmations: readonly NodeName[] = ['confirmPhone', 'confirmName', 'confirmPurchase']

/** No entry of the main menu has it, so that no habit goes on, and no key pressed twice does. */
const goOnDigit = '90'

/** Names the question whether to go on, where a session begins that takes up a cut one. */
export const goOnName: NodeName = 'goOn'

/** Tells whether a session that is cut at a place may be taken up: it asks for a confirmation. */
export const canGoOn = (name: NodeName): boolean => [goOnName, ...confirmations].includes(name)

const writeChoice: WriteText = (context, draft) => {
  const { label, unsent, menu } = words(context.messages)
  const [amount, to] = formatTransfer(context, draft)
  // At this session's rate it may be another amount of coins.
  const shown = draft.agreed === undefined ? amount : formatLocal(draft.agreed)
  return [unsent(shown, to), `${goOnDigit}. ${label}`, `0. ${menu}`].join('\n')
}

/** Asks whether to go on with the payment of a cut session. No digit leads here. */
export const goOn = {
  words,
  createNodes({ profile, confirms, pin, agents }) {
    // A strict PIN guards recipients and amounts, which this shows before a PIN.
    if (profile === 'demo' || !confirms || pin === 'strict') return {}
    return {
      [goOnName]: {
        kind: 'question',
        asksAmount: true,
        prompt: (context, draft, facts) =>
          `${words(context.messages).wasCut}\n${writeChoice(context, draft, facts)}`,
        retryText: writeChoice,
        *parseAnswer(typed, context, { amountWei, agreed }) {
          if (typed !== goOnDigit) return rejectAnswer(context.messages.unknownChoice)
          const isLocal = agreed !== undefined && typeof amountWei === 'bigint'
          return isLocal ? yield* repeatAmount(amountWei, agreed, context) : acceptAnswer({})
        },
        targets: ['confirmPhone', ...(agents ? ['confirmPurchase'] : [])],
        selectTarget: ({ recipient }) =>
          recipient?.kind === 'till' ? 'confirmPurchase' : 'confirmPhone',
        back: 'main',
      },
    }
  },
} satisfies MenuPart
