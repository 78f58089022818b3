import { formatEther, parseEther } from 'viem'

export type AmountFault = 'not_a_number' | 'zero' | 'too_fine' | 'too_large'

/** Is more than can exist: Bitcoin's 21 million, to which RBTC is pegged. */
const maxWei = parseEther('21000000')

const weiDecimals = 18

/** Is the rate of the chain's own currency. */
const ownMicros = 1_000_000n

/**
 * Parses a decimal above zero to wei, exactly. A comma is a point, but not in `1,000`. An amount in
 * another currency, of which one coin is worth `micros` millionths, is rounded down.
 */
export function parseAmount(
  typed: string,
  micros = ownMicros,
): { kind: 'amount'; wei: bigint } | { kind: 'fault'; fault: AmountFault } {
  const text = typed.trim()
  if (/^[1-9][0-9]{0,2},[0-9]{3}$/.test(text)) return fault('not_a_number')
  const match = /^([0-9]*)(?:[.,]([0-9]*))?$/.exec(text)
  const whole = match?.[1] ?? ''
  const fraction = match?.[2] ?? ''
  if (match === null || (whole === '' && fraction === '')) return fault('not_a_number')
  if (fraction.length > weiDecimals) return fault('too_fine')
  // Checked before the digits become a number: real amounts do not have 30 of them.
  if (whole.replace(/^0+/, '').length > 13) return fault('too_large')
  const wei = (BigInt(whole + fraction.padEnd(weiDecimals, '0')) * ownMicros) / micros
  if (wei === 0n) return fault('zero')
  return wei > maxWei ? fault('too_large') : { kind: 'amount', wei }
}

const fault = (fault: AmountFault) => ({ kind: 'fault', fault }) as const

const shownDecimals = 6
const leastShownWei = 10n ** BigInt(weiDecimals - shownDecimals)

/** Formats wei rounded down to 6 decimals: nobody is shown more than there is. */
export function formatAmountDown(wei: bigint): string {
  if (wei > 0n && wei < leastShownWei) return `<${formatEther(leastShownWei)}`
  return formatEther(wei - (wei % leastShownWei))
}
