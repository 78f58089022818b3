import { type PaymentState, phases } from './ledger/transitions.ts'

type Standing = { state: PaymentState; assuredAt: number | string | null | undefined }

/** Is the one word that all read of a payment; `arriving` may still fail. */
export type Progress = 'arriving' | 'done' | 'failed'

/**
 * Returns the progress of a payment as it is stored. Nothing else decides the word. What is assured
 * is done, whatever becomes of its block: that word is never taken back.
 */
export function getProgress({ state, assuredAt }: Standing): Progress {
  if (assuredAt !== undefined && assuredAt !== null) return 'done'
  if (phases[state] !== 'settled') return 'arriving'
  return state === 'confirmed' ? 'done' : 'failed'
}
