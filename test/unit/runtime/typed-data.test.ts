import fc from 'fast-check'
import { type Hex, hashTypedData, type TypedDataDefinition } from 'viem'
import { test } from 'vitest'
import { digestTypedData } from '../../../src/runtime/typed-data.ts'
import { holds } from '../../support/properties.ts'

const bytes = (minLength: number, maxLength = minLength) =>
  fc
    .uint8Array({ minLength, maxLength })
    .map((drawn): Hex => `0x${Buffer.from(drawn).toString('hex')}`)

/** Draws what fits a type, and here and there what does not. */
const values: Record<string, fc.Arbitrary<unknown>> = {
  address: bytes(20),
  bool: fc.boolean(),
  uint32: fc.integer({ min: -1, max: 2 ** 33 }),
  int8: fc.integer({ min: -140, max: 140 }),
  bytes: bytes(0, 300),
  bytes22: bytes(21, 22),
  string: fc.string(),
  'uint8[]': fc.array(fc.nat(255)),
  Nested: fc.record({ amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }) }),
}
const drawnField = fc.constantFrom(...Object.keys(values)).chain((type) => {
  const drawn = values[type] as fc.Arbitrary<unknown>
  return fc.tuple(fc.constant(type), fc.constantFrom('one', 'other'), drawn)
})
const drawnDomain = fc.record(
  {
    name: fc.constantFrom('A', 'B'),
    version: fc.constantFrom('1', '2'),
    chainId: fc.constantFrom(30, 31, 31n),
    verifyingContract: fc.constantFrom(`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`),
    salt: fc.constantFrom(`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`),
  },
  { requiredKeys: [] },
)
const drawnFields = fc.uniqueArray(drawnField, { maxLength: 3, selector: ([, name]) => name })

test('typed data has the digest that viem gives it, and none where viem refuses it', async () => {
  const primaryTypes = fc.constantFrom('Request', 'Other', 'EIP712Domain')
  const isWithDomain = fc.boolean()
  const drawn = [drawnDomain, drawnFields, primaryTypes, isWithDomain] as const
  const property = fc.property(...drawn, (domain, fields, primaryType, withDomain) => {
    const layout = fields.map(([type, name]) => ({ type, name }))
    const ownDomain = withDomain && { EIP712Domain: [{ name: 'name', type: 'string' }] }
    const amounts = [{ name: 'amount', type: 'uint256' }]
    const types = { Nested: amounts, Request: layout, Other: layout, ...ownDomain }
    const message = Object.fromEntries(fields.map(([, name, value]) => [name, value]))
    const data = { domain, types, primaryType, message } as TypedDataDefinition
    const digestBy = (hash: (data: TypedDataDefinition) => Hex) => {
      try {
        return hash(data)
      } catch {
        return 'refused'
      }
    }
    return digestBy(digestTypedData) === digestBy(hashTypedData)
  })
  await holds(property)
})
