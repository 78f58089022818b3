import { formatAmountDown, formatExactly, type Unit } from '../../loan/amounts.ts'

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
