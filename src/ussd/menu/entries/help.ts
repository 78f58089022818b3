import { defineWords } from '../../messages/texts.ts'
import type { MenuPart } from '../node.ts'

const words = defineWords({
  en: {
    label: 'Help',
    help: (number: string) => `Help: call ${number}\nWe never ask for your PIN.`,
  },
  sw: { label: 'Msaada', help: (number) => `Msaada: piga ${number}\nHatukuulizi PIN yako kamwe.` },
  fr: {
    label: 'Aide',
    help: (number) => `Aide: appelez le ${number}\nNous ne demandons jamais votre PIN.`,
  },
  es: { label: 'Ayuda', help: (number) => `Ayuda: llame al ${number}\nNunca le pedimos su PIN.` },
})

export const help = {
  words,
  digit: '9',
  findTarget: ({ helpNumber }) => (helpNumber === undefined ? undefined : { name: 'help' }),
  createNodes: () => ({}),
} satisfies MenuPart
