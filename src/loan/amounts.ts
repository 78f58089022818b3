import { formatUnits } from 'viem'
import * as z from 'zod/mini'

/**
 * Describes what a pool counts. An amount is a whole number of the smallest part that the pool
 * counts, here called wei: 10^-18 of the chain's currency, or a millionth of a token.
 */
export type Unit = z.infer<typeof unitSchema>

export const unitSchema = z.object({
  symbol: z.string(),
  decimals: z.int(),
  /** Is null for the chain's currency. A token has `decimals` of its own. */
  token: z.nullable(z.object({ address: z.string(), decimals: z.int() })),
})

export const createCoinUnit = (symbol: string): Unit => ({ symbol, decimals: 18, token: null })

export const createTokenUnit = (symbol: string, token: Unit['token']): Unit => ({
  symbol,
  decimals: 6,
  token,
})

/** Returns how many of a token's own smallest parts, or of wei, one counted part has. */
export const getQuantum = ({ decimals, token }: Unit): bigint =>
  10n ** BigInt((token?.decimals ?? decimals) - decimals)

/** Returns the least principal of a loan, which the contract sets by its unit. */
export const getLeastLoan = ({ token }: Unit): bigint => (token === null ? 10n ** 14n : 10_000n)

/** Limits an amount, in whole units: each RBTC stands for one of 21 million bitcoins. */
const getMax = ({ token }: Unit): bigint => (token === null ? 21_000_000n : 1_000_000_000n)

/** Returns one whole unit as wei. */
export const getOne = ({ decimals }: Pick<Unit, 'decimals'>): bigint => 10n ** BigInt(decimals)

export type AmountFault = 'not_a_number' | 'zero' | 'too_fine' | 'too_large'

/** Limits the decimals of an amount that is typed in a local currency. */
const localDecimals = 18

/** Is the number of cents from which they are left out: screens have no room for both. */
const maxWithCents = 10n ** 11n

/**
 * Parses a decimal above zero of a unit to wei. A comma is a decimal point, but `1,000` is refused
 * because it has two meanings. For an amount in a local currency, `micros` is the price of one unit
 * in millionths of that currency: `1.000` is refused as well, what is less than a cent is left out,
 * and wei are rounded down, so that they cost no more than `cents`.
 */
export function parseAmount(
  typed: string,
  unit: Unit,
  micros?: bigint,
): { kind: 'amount'; wei: bigint; cents?: bigint } | { kind: 'fault'; fault: AmountFault } {
  const text = typed.trim()
  const ambiguous =
    micros === undefined ? /^[1-9][0-9]{0,2},[0-9]{3}$/ : /^[1-9][0-9]{0,2}[,.][0-9]{3}$/
  if (ambiguous.test(text)) return createFault('not_a_number')
  const match = /^([0-9]*)(?:[.,]([0-9]*))?$/.exec(text)
  const whole = match?.[1] ?? ''
  const fraction = match?.[2] ?? ''
  if (match === null || (whole === '' && fraction === '')) return createFault('not_a_number')
  const maxDecimals = micros === undefined ? unit.decimals : localDecimals
  if (fraction.length > maxDecimals) return createFault('too_fine')
  // Real amounts have at most 13 digits, and BigInt takes long for very many.
  if (whole.replace(/^0+/, '').length > 13) return createFault('too_large')
  if (micros === undefined) {
    return limitAmount(BigInt(whole + fraction.padEnd(unit.decimals, '0')), unit)
  }
  const typedCents = BigInt(whole + fraction.slice(0, 2).padEnd(2, '0'))
  const cents = typedCents < maxWithCents ? typedCents : typedCents - (typedCents % 100n)
  const wei = (cents * getOne(unit) * 10_000n) / micros
  const parsed = limitAmount(wei, unit)
  return parsed.kind === 'fault' ? parsed : { ...parsed, cents }
}

function limitAmount(wei: bigint, unit: Unit) {
  if (wei === 0n) return createFault('zero')
  return wei > getMax(unit) * getOne(unit)
    ? createFault('too_large')
    : ({ kind: 'amount', wei } as const)
}

const createFault = (fault: AmountFault) => ({ kind: 'fault', fault }) as const

/** Returns the last of the decimals that screens show: 6 of a coin, 2 of a dollar. */
const getSmallestShown = ({ decimals, token }: Unit): bigint =>
  10n ** BigInt(decimals - (token === null ? 6 : 2))

/** Formats an amount to the wei, without the symbol; one of a token has two decimals at least. */
export function formatExactly(wei: bigint, { decimals, token }: Unit): string {
  const text = formatUnits(wei, decimals)
  if (token === null) return text
  const [whole, fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

/** Formats an amount, rounded down to the decimals that screens show: never too much. */
export function formatAmountDown(wei: bigint, unit: Unit): string {
  const smallest = getSmallestShown(unit)
  if (wei > 0n && wei < smallest) return `<${formatExactly(smallest, unit)}`
  return formatExactly(wei - (wei % smallest), unit)
}

/** Formats a debt, rounded up to the decimals that screens show: never too little. */
export function formatAmountUp(wei: bigint, unit: Unit): string {
  const smallest = getSmallestShown(unit)
  return formatExactly(((wei + smallest - 1n) / smallest) * smallest, unit)
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
