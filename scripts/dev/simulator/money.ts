import { createCoinUnit, createTokenUnit, getOne, type Unit } from '../../../src/loan/amounts.ts'
import type { Random } from '../random.ts'
import { milliWei } from './units.ts'

export type Money = {
  /** Is what the relay is told to count; the contract counts `contractUnit`. */
  unit: Unit
  contractUnit: Unit
  /** Drawn amounts are counted in this: a thousandth of a coin, or a dollar. */
  stepWei: bigint
  principalWei: bigint
  /** Tells whether callers type amounts in {@link localCurrency}, by the price of a feed. */
  isLocal: boolean
}

export const localCurrency = 'KES'

/** Returns the price of one unit at the start, in millionths of local money. */
export const getFirstPrice = ({ token }: Unit): bigint =>
  token === null ? 8_000_000_000_000n : 129_250_000n

const coin = createCoinUnit('tRBTC')

/** Counts the chain's currency, without local money, as the demonstration does. */
export const coinMoney: Money = {
  unit: coin,
  contractUnit: coin,
  stepWei: milliWei,
  principalWei: 10n * milliWei,
  isLocal: false,
}

const token = (decimals: number, byte: string): Unit =>
  createTokenUnit('USD', { address: `0x${byte.repeat(20)}`, decimals })

/** Draws what a lender's history counts: mostly a token, which some contract does not count. */
export function drawMoney(random: Random, isLender: boolean): Money {
  if (!isLender) return coinMoney
  if (random.chance(0.4)) return { ...coinMoney, isLocal: random.chance(0.3) }
  const decimals = random.pick([6, 18])
  const unit = token(decimals, 'd0')
  const others = [coin, token(decimals, 'd1'), token(24 - decimals, 'd0')]
  const contractUnit = random.chance(0.05) ? random.pick(others) : unit
  const stepWei = getOne(unit)
  return { unit, contractUnit, stepWei, principalWei: 10n * stepWei, isLocal: random.chance(0.7) }
}

/** Returns what is typed for an amount in local money: whole units of that, by the first price. */
export function toLocal(wei: bigint, { unit }: Pick<Money, 'unit'>): bigint {
  const one = getOne(unit) * 1_000_000n
  return (wei * getFirstPrice(unit) + one / 2n) / one || 1n
}
