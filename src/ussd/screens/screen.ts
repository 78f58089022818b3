import type { Screen } from '../../relay/ledger/port.ts'

export type { Screen } from '../../relay/ledger/port.ts'

export const askScreen = (text: string): Screen => ({ kind: 'ask', lines: text.split('\n') })
export const endScreen = (text: string): Screen => ({ kind: 'end', lines: text.split('\n') })
