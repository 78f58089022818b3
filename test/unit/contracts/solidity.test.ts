import { test } from 'vitest'
import {
  constantSeconds,
  enumMembers,
  hashedText,
  parseSolidity,
  structMembers,
} from '../../../scripts/contracts/solidity.ts'
import { requestStatuses } from '../../../src/relay/forwarder/abi.ts'

const trees = parseSolidity([
  'contracts/src/IRelayForwarder.sol',
  'contracts/src/RelayForwarder.sol',
])

test('what an ABI leaves out is read from the sources', ({ expect }) => {
  expect(enumMembers(trees, 'Status').slice(0, 4)).toEqual([
    'Executed',
    'Failed',
    'Expired',
    'DeadlineTooFar',
  ])
  expect(requestStatuses).toHaveLength(enumMembers(trees, 'Status').length)
  expect(structMembers(trees, 'Request')[2]).toEqual({ name: 'intentId', type: 'bytes32' })
  expect(constantSeconds(trees, 'INTENT_LIFETIME')).toBe(604_800)
  expect(hashedText(trees, 'REQUEST_TYPEHASH')).toMatch(/^Request\(address from,.*\)$/)
})

test('what the sources do not have is a fault of who asks', ({ expect }) => {
  expect(() => enumMembers(trees, 'State')).toThrow('0 times: EnumDefinition State')
})
