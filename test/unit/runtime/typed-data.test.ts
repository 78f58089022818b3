import fc from 'fast-check'
import { hashTypedData, type TypedDataDefinition, toHex } from 'viem'
import { test } from 'vitest'
import { digestTypedData } from '../../../src/runtime/key-account.ts'
import { holds } from '../../support/properties.ts'

const bytes = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((drawn) => toHex(drawn))
const values: Record<string, fc.Arbitrary<unknown>> = {
  address: bytes(20),
  bool: fc.boolean(),
  uint32: fc.integer({ min: -1, max: 2 ** 33 }),
  int8: fc.integer({ min: -140, max: 140 }),
  bytes: bytes(0, 300),
  bytes22: bytes(21, 22),
  string: fc.string(),
  'uint8[]': fc.array(fc.nat(255)),
  Nested: fc.record({ name: fc.string() }),
}
const [one, other] = ['1'.repeat(40), '2'.repeat(40)]
const names = 'name=A name=B version=1 version=2 chainId=30 chainId=31'
const places = `verifyingContract=0x${one} verifyingContract=0x${other} salt=0x${one}${one.slice(16)}`
const domainParts = `${names} ${places} salt=0x${other}${other.slice(16)}`.split(' ')
const domainPairs = domainParts.map((part) => part.split('='))

test('typed data has the digest that viem gives it, and none where viem refuses it', async () => {
  const domain = fc.subarray(domainPairs).map((drawn) => Object.fromEntries(drawn))
  const used = fc.subarray(Object.keys(values), { maxLength: 3 })
  const primaryType = fc.constantFrom('Request', 'Other', 'EIP712Domain')
  const [message, own] = [fc.record(values), fc.boolean()]
  const drawn = fc.record({ domain, message, used, primaryType, own })
  const property = fc.asyncProperty(drawn, async ({ used, own, ...data }) => {
    const layout = used.map((type) => ({ type, name: type }))
    const Nested = [{ name: 'name', type: 'string' }]
    const types = { Nested, Request: layout, Other: layout, ...(own && { EIP712Domain: Nested }) }
    const asked = Promise.resolve({ ...data, types } as TypedDataDefinition)
    const digestBy = (hash: typeof hashTypedData) => asked.then(hash).catch(() => 'refused')
    return (await digestBy(digestTypedData)) === (await digestBy(hashTypedData))
  })
  await holds(property)
})
