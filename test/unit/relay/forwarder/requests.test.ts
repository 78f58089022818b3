import type { Address, Hex } from 'viem'
import { describe, test } from 'vitest'
import {
  asksTheSame,
  encodeExecute,
  intentIdOf,
  processedIn,
  type RequestStatus,
  requestsInCalldata,
  type SignedRequest,
} from '../../../../src/relay/forwarder/requests.ts'

const account = '0x1111111111111111111111111111111111111111'
const forwarder = { chainId: 31, address: '0x2222222222222222222222222222222222222222' } as const

describe('an intent id', () => {
  test('is the same for ever: a relay that lost everything derives it again', ({ expect }) => {
    // By `cast keccak $(cast abi-encode 'f(uint256,address,bytes32)' …)`.
    expect(intentIdOf(forwarder, `0x${'ab'.repeat(32)}`)).toBe(
      '0xbf4a774b58b5d52ecc751440b8c9c7cacde825ec2316251096b83065ded81560',
    )
  })

  test('differs by chain, forwarder and intent key', ({ expect }) => {
    const key = `0x${'ab'.repeat(32)}` as const
    const ids = [
      intentIdOf(forwarder, key),
      intentIdOf({ ...forwarder, chainId: 30 }, key),
      intentIdOf({ ...forwarder, address: account }, key),
      intentIdOf(forwarder, `0x${'cd'.repeat(32)}`),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

/** A request of the account and what the forwarder said of it. */
const asked = (data: Hex, status: RequestStatus, from: Address = account) => {
  const intentId: Hex = `0x${'ab'.repeat(32)}`
  const request: SignedRequest = {
    ...{ from, to: forwarder.address, intentId, gas: 150_000, deadline: 1_800_000_000, data },
    signature: `0x${'cd'.repeat(65)}`,
  }
  return { request, result: { intentId, from, status, returnData: '0x' as Hex } }
}

describe('what was processed in a transaction', () => {
  const forged = asked('0xaaaaaaaa', 'bad_signature')
  const spent = asked('0xbbbbbbbb', 'executed')
  const calldata = encodeExecute([forged.request, spent.request])

  test('is told for each request by its place, not by its intent alone', ({ expect }) => {
    expect(processedIn([forged.result, spent.result], calldata, spent.request)).toEqual([
      forged,
      spent,
    ])
  })

  test('is told of one account: the same id of another is another intent', ({ expect }) => {
    const other = asked('0xcccccccc', 'executed', forwarder.address)
    const both = encodeExecute([other.request, spent.request])
    expect(processedIn([other.result, spent.result], both, spent.request)).toEqual([spent])
  })

  test('is not told where results and requests do not fit together', ({ expect }) => {
    expect(processedIn([spent.result], calldata, spent.request)).toBeUndefined()
    expect(processedIn([spent.result], '0x', spent.request)).toBeUndefined()
    expect(processedIn([], '0x', spent.request)).toEqual([])
  })
})

test('two requests ask the same where account, contract and call are the same', ({ expect }) => {
  const { request } = asked('0xaaaaaaaa', 'executed')
  expect(asksTheSame(request, { ...request, deadline: 1, gas: 1 })).toBe(true)
  expect(asksTheSame(request, { ...request, data: '0xbbbbbbbb' })).toBe(false)
  expect(asksTheSame(request, { ...request, from: forwarder.address })).toBe(false)
  expect(asksTheSame(request, { ...request, to: account })).toBe(false)
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
