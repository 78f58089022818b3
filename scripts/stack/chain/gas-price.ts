import { usualMaxGasPriceWei } from '../../../src/relay/fees.ts'
import { StackError } from '../report.ts'

/** The most that is paid for a unit of gas where the environment names it, in wei. @throws {StackError} */
export function readMaxGasPrice(env: NodeJS.ProcessEnv): bigint | undefined {
  const value = env.MAX_GAS_PRICE_WEI
  if (!value) return undefined
  if (/^\d{1,30}$/.test(value)) return BigInt(value)
  throw new StackError('MAX_GAS_PRICE_WEI is not a number of wei.')
}

/** The most that is paid on such a chain: what is set, or what the relay itself pays at most. */
export const maxGasPrice = (setWei: bigint | undefined, { isAnvil }: { isAnvil: boolean }) =>
  setWei ?? usualMaxGasPriceWei[isAnvil ? 'anvil' : 'rootstock']

/** Why nothing may be sent at the node's price, in words; undefined where it may. */
export function priceObstacle(maxWei: bigint, nodePriceWei: bigint): string | undefined {
  return nodePriceWei > maxWei
    ? `the node asks ${nodePriceWei} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${maxWei}`
    : undefined
}
