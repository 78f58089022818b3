import fc from 'fast-check'
import { type Hex, keccak256 } from 'viem'
import { test } from 'vitest'
import { hashKeccak, hashKeccakBytes } from '../../../src/runtime/keccak.ts'
import { holds } from '../../support/properties.ts'

test('bytes and hex of every length have the Keccak-256 that viem gives them', async () => {
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), maxLength: 700 })
  const bytes = fc.uint8Array({ maxLength: 700 })
  const value = fc.oneof(
    hex.map((digits): Hex => `0x${digits}`),
    bytes,
    // A part of other bytes, as it is cut out of a message.
    bytes.map((whole) => whole.subarray(whole.length >> 1)),
  )
  const property = fc.property(value, (drawn) => {
    const areSame = hashKeccak(drawn) === keccak256(drawn)
    return areSame && `${hashKeccakBytes(drawn)}` === `${keccak256(drawn, 'bytes')}`
  })
  await holds(property)
})
