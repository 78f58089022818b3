import { expect, test } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import {
  computeGasPrice,
  computeReplacementPrice,
  limitGasPrice,
} from '../../../src/relay/relayer.ts'

test.for([
  [100n, 140n],
  [1n, 2n],
  [3n, 5n],
  [60_000_001n, 84_000_002n],
] as const)('a replacement price over %s is 40 %% more and rounded up: %s', ([prior, price]) => {
  expect(computeReplacementPrice(prior, 40)).toBe(price)
})

test("a gas price is the node's, up to the operator's highest", () => {
  expect([15n, 25n].map((price) => limitGasPrice({ maxWei: 20n }, price))).toEqual([15n, 20n])
})

test("older bytes of a nonce are outbid up to the operator's highest price", () => {
  const terms = { fees: { maxWei: 140n }, rules: poolRules.rootstock }
  expect(computeGasPrice(terms, 10n, 100n)).toBe(140n)
  expect(computeGasPrice(terms, 10n, 101n)).toBeUndefined()
  expect(computeGasPrice(terms, 500n, undefined)).toBe(140n)
})
