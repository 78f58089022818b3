import { formatEther } from 'viem'
import { formatAmountDown } from '../../loan/amounts.ts'

export type AmountFormats = {
  /** Formats a balance or an amount in a list, rounded down. */
  showAmount: (wei: bigint) => string
  /** Formats what a caller confirms: to the wei, except in the demonstration. */
  showExactAmount: (wei: bigint) => string
}

/** Creates the formats of amounts, with the name of the chain's currency. */
export function createAmountFormats(
  currency: string,
  { profile }: { profile: 'demo' | 'lender' },
): AmountFormats {
  const showAmount = (wei: bigint) => `${formatAmountDown(wei)} ${currency}`
  const showExactAmount = (wei: bigint) => `${formatEther(wei)} ${currency}`
  return { showAmount, showExactAmount: profile === 'demo' ? showAmount : showExactAmount }
}
