import { type Language, languages } from '../account/language.ts'

/** Decides screens and limits at once; `demo` is the demonstration to the letter. */
export const profiles = {
  demo: {
    MAX_OPEN_PAYMENTS: 3,
    MAX_DIALS_A_MINUTE: 30,
    MAX_TRANSFERS_A_DAY: undefined,
    MAX_SENT_A_DAY_WEI: undefined,
    MIN_TRANSFER_WEI: 0n,
    CONFIRM: 'off',
    PIN: 'off',
    LANGUAGES: [],
  },
  lender: {
    MAX_OPEN_PAYMENTS: 3,
    MAX_DIALS_A_MINUTE: 30,
    MAX_TRANSFERS_A_DAY: 20,
    MAX_SENT_A_DAY_WEI: 50_000_000_000_000_000n,
    // Twice what a transfer costs at Rootstock's usual price: a smaller one burns more than it sends.
    MIN_TRANSFER_WEI: 20_000_000_000_000n,
    CONFIRM: 'on',
    PIN: 'on',
    LANGUAGES: languages,
  },
} as const satisfies Record<string, ProfileDefaults>

export type ProfileName = keyof typeof profiles

/** Has no limit where it is undefined. */
export type ProfileDefaults = {
  MAX_OPEN_PAYMENTS: number
  MAX_DIALS_A_MINUTE: number
  MAX_TRANSFERS_A_DAY: number | undefined
  MAX_SENT_A_DAY_WEI: bigint | undefined
  MIN_TRANSFER_WEI: bigint
  CONFIRM: 'on' | 'off'
  PIN: 'off' | 'on' | 'strict'
  LANGUAGES: readonly Language[]
}

/** Names the profile of a chain where none is set: money is real on 30. */
export const usualProfile: Readonly<Record<30 | 31, ProfileName>> = { 30: 'lender', 31: 'demo' }
