import { isWithin } from '../../../loan/amounts.ts'
import type { Draft, StepContext } from '../draft.ts'
import { type MetaValue, readMeta, saveMeta } from '../meta.ts'
import { writes } from '../port.ts'

/** Offers the price of a coin in millionths; `isAgreed` if a second feed has the same. */
type OfferedRate = {
  currency: string
  micros: bigint
  maxChangePercent: number
  isAgreed: boolean
}

type KnownRate = MetaValue<'rate'>

const windowMs = 60 * 60 * 1_000

export const readRate = (rows: Draft): KnownRate | undefined => readMeta(rows, 'rate')

/** Accepts an offered price near the kept one, which is replaced after an hour at the earliest. */
function judgeRate(rows: Draft, offered: OfferedRate): 'accepted' | 'refused' {
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

export function acceptRate({ rows }: StepContext, micros: bigint): KnownRate | undefined {
  const kept = readRate(rows)
  if (kept === undefined) return undefined
  const rate = { currency: kept.currency, micros: `${micros}`, at: rows.now }
  saveMeta(rows, 'rate', rate)
  return rate
}

export const rateSteps = {
  /** Judges a rate that the feed offers by the last accepted ones, and keeps the verdict. */
  judgeRate: writes(({ rows }, offered: OfferedRate) => judgeRate(rows, offered)),
}
