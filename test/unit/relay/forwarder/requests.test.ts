import { describe, test } from 'vitest'
import {
  encodeExecute,
  intentIdOf,
  requestsInCalldata,
  type SignedRequest,
} from '../../../../src/relay/forwarder/requests.ts'

const account = '0x1111111111111111111111111111111111111111'
const forwarder = { chainId: 31, address: '0x2222222222222222222222222222222222222222' } as const

describe('an intent id', () => {
  test('is the same for ever: a relay that lost everything derives it again', ({ expect }) => {
    // By `cast keccak $(cast abi-encode 'f(uint256,address,string,string,address)' …)`.
    expect(intentIdOf(forwarder, 'africas-talking', 'session', account)).toBe(
      '0xe13ac8a88418c0da4e943f023cb41ab5ac7bae0b51e9e7420dec967298d78255',
    )
  })

  test('differs by chain, forwarder, gateway, session and account', ({ expect }) => {
    const ids = [
      intentIdOf(forwarder, 'g', 's', account),
      intentIdOf({ ...forwarder, chainId: 30 }, 'g', 's', account),
      intentIdOf({ ...forwarder, address: account }, 'g', 's', account),
      intentIdOf(forwarder, 'gs', '', account),
      intentIdOf(forwarder, 'g', 's2', account),
      intentIdOf(forwarder, 'g', 's', forwarder.address),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('requests are found again in the calldata that carries them', ({ expect }) => {
  const request: SignedRequest = {
    from: account,
    to: forwarder.address,
    intentId: `0x${'ab'.repeat(32)}`,
    gas: 150_000,
    deadline: 1_800_000_000,
    data: '0x12345678',
    signature: `0x${'cd'.repeat(65)}`,
  }
  expect(requestsInCalldata(encodeExecute([request]))).toEqual([request])
  expect(requestsInCalldata('0x')).toEqual([])
  expect(requestsInCalldata('0xdeadbeef')).toEqual([])
})
