import { formatAmountDown, formatExactly, type Unit } from '../../loan/amounts.ts'
import {
  formatAgreed,
  formatLocal,
  formatWorth,
  type LocalMoney,
  type Rate,
} from '../../loan/local-worth.ts'
import { countSeptets, maxSeptets } from './septets.ts'

export type AmountFormats = {
  showAmount: (wei: bigint) => string
  showExactAmount: (wei: bigint) => string
}

/** Creates the formats of balances, rounded down, and of what a caller confirms, to the wei. */
export function createAmountFormats(
  unit: Unit,
  { profile }: { profile: 'demo' | 'lender' },
): AmountFormats {
  const showAmount = (wei: bigint) => `${formatAmountDown(wei, unit)} ${unit.symbol}`
  const showExactAmount = (wei: bigint) => `${formatExactly(wei, unit)} ${unit.symbol}`
  return { showAmount, showExactAmount: profile === 'demo' ? showAmount : showExactAmount }
}

/**
 * Writes an amount that is agreed to: as typed in local money, before the unit rounded down; else
 * in the unit, to the wei.
 */
export const formatPaid = (
  { showAmount, showExactAmount }: AmountFormats,
  wei: bigint,
  agreed: LocalMoney | undefined,
): string => (agreed ? formatAgreed(agreed, showAmount(wei)) : showExactAmount(wei))

/**
 * Writes a text whose amounts have first what they are worth at a rate; without room for all of
 * that, or without a rate, they are in the unit alone.
 */
export function writeWithWorth(
  { unit, showAmount }: { unit: Unit } & Pick<AmountFormats, 'showAmount'>,
  rate: Rate | 'none',
  write: (showAmount: AmountFormats['showAmount']) => string,
): string {
  const text = write((wei) => {
    const worth = rate === 'none' ? undefined : formatWorth(wei, unit, rate)
    return worth === undefined ? showAmount(wei) : `${worth} (${showAmount(wei)})`
  })
  return countSeptets(text) > maxSeptets ? write(showAmount) : text
}

/** Writes a screen with an amount as agreed in local money; without room it leaves the unit out. */
export function writeFitting(
  agreed: LocalMoney | null | undefined,
  unitText: string,
  write: (amount: string) => string,
): string {
  const text = write(formatAgreed(agreed, unitText))
  return agreed && countSeptets(text) > maxSeptets ? write(formatLocal(agreed)) : text
}
