import { formatEther, parseEther } from 'viem'
import * as z from 'zod/mini'

export type AmountFault = 'not_a_number' | 'zero' | 'too_fine' | 'too_large'

/** Limits an amount: each RBTC stands for one of 21 million bitcoins. */
const maxWei = parseEther('21000000')

const weiDecimals = 18

/** Counts the millionths of one coin, in which amounts are priced that are typed in coins. */
const coinMicros = 1_000_000n

/**
 * Parses a decimal above zero to wei. A comma is a decimal point, but `1,000` is refused because it
 * has two meanings. For an amount in a local currency, `micros` is the price of one coin in
 * millionths of that currency: wei are rounded down, and `1.000` is refused as well.
 */
export function parseAmount(
  typed: string,
  micros?: bigint,
): { kind: 'amount'; wei: bigint } | { kind: 'fault'; fault: AmountFault } {
  const text = typed.trim()
  const ambiguous =
    micros === undefined ? /^[1-9][0-9]{0,2},[0-9]{3}$/ : /^[1-9][0-9]{0,2}[,.][0-9]{3}$/
  if (ambiguous.test(text)) return createFault('not_a_number')
  const match = /^([0-9]*)(?:[.,]([0-9]*))?$/.exec(text)
  const whole = match?.[1] ?? ''
  const fraction = match?.[2] ?? ''
  if (match === null || (whole === '' && fraction === '')) return createFault('not_a_number')
  if (fraction.length > weiDecimals) return createFault('too_fine')
  // Real amounts have at most 13 digits, and BigInt takes long for very many.
  if (whole.replace(/^0+/, '').length > 13) return createFault('too_large')
  const units = BigInt(whole + fraction.padEnd(weiDecimals, '0'))
  const wei = (units * coinMicros) / (micros ?? coinMicros)
  if (wei === 0n) return createFault('zero')
  return wei > maxWei ? createFault('too_large') : { kind: 'amount', wei }
}

const createFault = (fault: AmountFault) => ({ kind: 'fault', fault }) as const

const shownDecimals = 6
const smallestShownWei = 10n ** BigInt(weiDecimals - shownDecimals)

/** Rounds wei down to the 6 decimals of a coin that screens show. */
export const roundToShownDown = (wei: bigint): bigint => wei - (wei % smallestShownWei)

/** Rounds wei up to the 6 decimals of a coin that screens show, which is never 0. */
export const roundToShownUp = (wei: bigint): bigint =>
  roundToShownDown((wei || 1n) + smallestShownWei - 1n)

/** Formats wei as coins, rounded down to 6 decimals so that no screen shows too much. */
export function formatAmountDown(wei: bigint): string {
  if (wei > 0n && wei < smallestShownWei) return `<${formatEther(smallestShownWei)}`
  return formatEther(roundToShownDown(wei))
}

/** Tells whether the larger of two prices exceeds the smaller one by at most these percent. */
export function isWithin(one: bigint, other: bigint, percent: number): boolean {
  const [smaller, larger] = one < other ? [one, other] : [other, one]
  return larger * 100n <= smaller * BigInt(100 + percent)
}

/** Parses stored wei, which are written in decimal digits. */
export const weiSchema = z.pipe(
  z.string().check(z.regex(/^[0-9]{1,78}$/)),
  z.transform((digits) => BigInt(digits)),
)
