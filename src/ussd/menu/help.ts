import * as z from 'zod/mini'
import { inEach } from '../messages/texts.ts'
import type { MenuPart } from './node.ts'

const words = inEach({
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
const number = {
  name: 'HELP_NUMBER',
  schema: z
    .string()
    .check(
      z.regex(/^[+*#0-9][*#0-9 ]{2,19}$/, 'has to be a number to call: 3 to 20 digits and spaces'),
    ),
  example: '0700 000 099',
}

export const help = {
  words,
  variable: number,
  digit: '9',
  leads: ({ own }) =>
    own[number.name] === undefined
      ? undefined
      : { name: 'help', outcome: () => ({ kind: 'help' }) },
  places: () => ({}),
} satisfies MenuPart
