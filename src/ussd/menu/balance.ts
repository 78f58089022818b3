import { inEach } from '../messages/texts.ts'
import { pinFor } from './asks.ts'
import type { Effect, MenuPart } from './node.ts'

const words = inEach({
  en: { label: 'My Balance', balance: (amount: string) => `Your Balance: ${amount}` },
  sw: { label: 'Salio Langu', balance: (amount) => `Salio lako: ${amount}` },
  fr: { label: 'Mon solde', balance: (amount) => `Votre solde: ${amount}` },
  es: { label: 'Mi saldo', balance: (amount) => `Su saldo: ${amount}` },
})
const shown: Effect = { name: 'balance', outcome: () => ({ kind: 'balance' }) }

export const balance = {
  words,
  digit: '1',
  leads: ({ pin }) => (pin === 'strict' ? 'pinToSeeBalance' : shown),
  places: () => ({ pinToSeeBalance: pinFor(({ pin }) => pin.enter.see, { leads: shown }) }),
} satisfies MenuPart
