import { isWithin } from '../../../loan/amounts.ts'
import type { Draft } from '../draft.ts'
import { readMeta, saveMeta } from '../meta.ts'
import type { KnownRate, OfferedRate } from '../port.ts'
import { recordAction } from './operations.ts'

const windowMs = 60 * 60 * 1_000

export const readRate = (rows: Draft): KnownRate | undefined => readMeta(rows, 'rate')

/** Accepts an offered price near the kept one, which is replaced after an hour at the earliest. */
export function judgeRate(rows: Draft, offered: OfferedRate): 'accepted' | 'refused' {
  const { currency, micros, maxChangePercent, isAgreed } = offered
  const kept = readRate(rows)
  const rate = { currency, micros: `${micros}`, at: rows.now }
  if (kept?.currency !== currency || isAgreed) {
    saveMeta(rows, 'rate', rate)
    return 'accepted'
  }
  const { refused, ...known } = kept
  if (!isWithin(micros, BigInt(kept.micros), maxChangePercent)) {
    saveMeta(rows, 'rate', { ...known, refused: { ...rate, at: refused?.at ?? rows.now } })
    return 'refused'
  }
  if (rows.now - kept.at >= windowMs) saveMeta(rows, 'rate', rate)
  else if (refused !== undefined) saveMeta(rows, 'rate', known)
  return 'accepted'
}

/** Keeps the price that an operator accepts, and records that in the audit. */
export function acceptRate(rows: Draft, id: string, micros: bigint): KnownRate | undefined {
  const kept = readRate(rows)
  if (kept === undefined) return undefined
  const rate = { currency: kept.currency, micros: `${micros}` }
  recordAction(rows, { id, action: 'rate', detail: rate })
  saveMeta(rows, 'rate', { ...rate, at: rows.now })
  return { ...rate, at: rows.now }
}
