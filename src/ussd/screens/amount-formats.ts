import { formatEther } from 'viem'
import { formatAmountDown } from '../../loan/amounts.ts'

export type AmountFormats = {
  showAmount: (wei: bigint) => string
  showExactAmount: (wei: bigint) => string
}

/** Creates the formats of balances, rounded down, and of what a caller confirms, to the wei. */
export function createAmountFormats(
  currency: string,
  { profile }: { profile: 'demo' | 'lender' },
): AmountFormats {
  const showAmount = (wei: bigint) => `${formatAmountDown(wei)} ${currency}`
  const showExactAmount = (wei: bigint) => `${formatEther(wei)} ${currency}`
  return { showAmount, showExactAmount: profile === 'demo' ? showAmount : showExactAmount }
}
