import { formatAmountDown, formatAmountUp, formatExactly, type Unit } from '../../loan/amounts.ts'
import {
  formatAgreed,
  formatLocal,
  formatWorth,
  formatWorthUp,
  type LocalMoney,
  type Rate,
} from '../../loan/local-worth.ts'
import { countSeptets, maxSeptets } from './septets.ts'

export type AmountFormats = {
  showAmount: (wei: bigint) => string
  showExactAmount: (wei: bigint) => string
  showOwed: (wei: bigint) => string
}

/**
 * Creates the formats of balances, rounded down, of what a caller confirms, to the wei, and of
 * debts, rounded up; the demonstration rounds all down.
 */
export function createAmountFormats(
  unit: Unit,
  { profile }: { profile: 'demo' | 'lender' },
): AmountFormats {
  const showAmount = (wei: bigint) => `${formatAmountDown(wei, unit)} ${unit.symbol}`
  const showExactAmount = (wei: bigint) => `${formatExactly(wei, unit)} ${unit.symbol}`
  const showOwed = (wei: bigint) => `${formatAmountUp(wei, unit)} ${unit.symbol}`
  return profile === 'demo'
    ? { showAmount, showExactAmount: showAmount, showOwed: showAmount }
    : { showAmount, showExactAmount, showOwed }
}

type WorthOptions = { unit: Unit } & Pick<AmountFormats, 'showAmount' | 'showOwed'>

/**
 * Creates the formats of amounts that nobody agreed to in local money: `show` of what an account
 * has, `showOwed` of a debt, and both `inShort`. They have first what an amount is worth at a rate,
 * and the unit behind it, or not in short; without a rate they have the unit alone.
 */
export function createWorthFormats(
  { unit, showAmount, showOwed }: WorthOptions,
  rate: Rate | 'none',
) {
  const createFormats = (write: (worth: string, unitText: string) => string) => {
    const format =
      (worthOf: typeof formatWorth, showUnit: (wei: bigint) => string) => (wei: bigint) => {
        const worth = rate === 'none' ? undefined : worthOf(wei, unit, rate)
        if (worth === undefined) return showUnit(wei)
        return wei === 0n ? worth : write(worth, showUnit(wei))
      }
    return { show: format(formatWorth, showAmount), showOwed: format(formatWorthUp, showOwed) }
  }
  return {
    ...createFormats((worth, unitText) => `${worth} (${unitText})`),
    inShort: createFormats((worth) => worth),
  }
}

type WorthFormats = Pick<ReturnType<typeof createWorthFormats>, 'show' | 'showOwed'>

/**
 * Writes an amount that is agreed to: as typed in local money, before the unit rounded down; else
 * in the unit, to the wei, behind what that is worth at a rate.
 */
export const formatPaid = (
  formats: { unit: Unit } & AmountFormats,
  wei: bigint,
  agreed: LocalMoney | undefined,
  rate: Rate | 'none' = 'none',
): string =>
  agreed
    ? formatAgreed(agreed, formats.showAmount(wei))
    : createWorthFormats({ ...formats, showAmount: formats.showExactAmount }, rate).show(wei)

/** Writes a text with amounts by `createWorthFormats`; without room they are in the unit alone. */
export function writeWithWorth(
  options: WorthOptions,
  rate: Rate | 'none',
  write: (formats: WorthFormats) => string,
): string {
  const text = write(createWorthFormats(options, rate))
  return countSeptets(text) > maxSeptets ? write(createWorthFormats(options, 'none')) : text
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
