import type { Screen } from '../../relay/ledger/values.ts'

export type { Screen } from '../../relay/ledger/values.ts'

export const askScreen = (text: string): Screen => ({ kind: 'ask', lines: text.split('\n') })
export const endScreen = (text: string): Screen => ({ kind: 'end', lines: text.split('\n') })
