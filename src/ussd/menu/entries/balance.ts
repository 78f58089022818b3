import { defineWords } from '../../messages/texts.ts'
import type { Effect, MenuPart } from '../node.ts'
import { createPinQuestion } from '../questions.ts'

const words = defineWords({
  en: {
    label: 'My Balance',
    balance: (amount: string) => `Your Balance: ${amount}`,
  },
  sw: {
    label: 'Salio Langu',
    balance: (amount) => `Salio lako: ${amount}`,
  },
  fr: {
    label: 'Mon solde',
    balance: (amount) => `Votre solde: ${amount}`,
  },
  es: {
    label: 'Mi saldo',
    balance: (amount) => `Su saldo: ${amount}`,
  },
})

const balanceEffect: Effect = { name: 'balance' }

export const balance = {
  words,
  digit: '1',
  findTarget: ({ pin }) => (pin === 'strict' ? 'pinToSeeBalance' : balanceEffect),
  createNodes: () => ({
    pinToSeeBalance: createPinQuestion({ target: balanceEffect }),
  }),
} satisfies MenuPart
