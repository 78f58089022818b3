import type { Screen } from '../relay/ledger/port.ts'

export type { Screen } from '../relay/ledger/port.ts'

/** What a caller is asked, and what ends the session. */
export const goOn = (text: string): Screen => ({ kind: 'ask', lines: text.split('\n') })
export const end = (text: string): Screen => ({ kind: 'end', lines: text.split('\n') })

/** The text protocol of Africa's Talking and of the demonstration: `CON` goes on, `END` is over. */
export const renderPlain = ({ kind, lines }: Screen): string =>
  `${kind === 'ask' ? 'CON' : 'END'} ${lines.join('\n')}`
