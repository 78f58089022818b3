import fc from 'fast-check'
import {
  type Address,
  bytesToHex,
  concatHex,
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  numberToHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { relayForwarderAbi } from '../../../../src/relay/forwarder/abi.ts'
import {
  decodeRequests,
  deriveIntentId,
  encodeExecute,
  matchResults,
  type RequestStatus,
  type SignedRequest,
} from '../../../../src/relay/forwarder/requests.ts'

const account = '0x1111111111111111111111111111111111111111'
const forwarder = { chainId: 31, address: '0x2222222222222222222222222222222222222222' } as const

describe('an intent id', () => {
  test('never changes: a relay that lost everything derives it again', () => {
    // The first 22 bytes of `cast keccak $(cast abi-encode 'f(uint256,address,bytes32)' …)`.
    expect(deriveIntentId(forwarder, `0x${'ab'.repeat(32)}`)).toBe(
      '0xbf4a774b58b5d52ecc751440b8c9c7cacde825ec2316',
    )
  })

  test('differs by chain, forwarder and intent key', () => {
    const key = `0x${'ab'.repeat(32)}` as const
    const ids = [
      deriveIntentId(forwarder, key),
      deriveIntentId({ ...forwarder, chainId: 30 }, key),
      deriveIntentId({ ...forwarder, address: account }, key),
      deriveIntentId(forwarder, `0x${'cd'.repeat(32)}`),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

const signature = `0x${'cd'.repeat(32)}${'3d'.repeat(32)}1c` as const

/** Creates a request of the account and the forwarder's result. */
const asked = (data: Hex, status: RequestStatus, from: Address = account) => {
  const intentId: Hex = `0x${'ab'.repeat(22)}`
  const request: SignedRequest = {
    ...{ from, intentId, gas: 150_000, deadline: 1_800_000_000, data, signature },
  }
  return { request, result: { intentId, from, status, returnData: '0x' as Hex } }
}

describe('the outcome of a request in a transaction', () => {
  const forged = asked('0xaaaaaaaa', 'bad_signature')
  const spent = asked('0xbbbbbbbb', 'executed')
  const carried = [forged.request, spent.request]

  test("is read by the request's place, not by its intent alone", () => {
    expect(matchResults([forged.result, spent.result], carried, spent.request)).toEqual([
      forged,
      spent,
    ])
  })

  test("belongs to one account: another account's same id is another intent", () => {
    const other = asked('0xcccccccc', 'executed', forwarder.address)
    const both = [other.request, spent.request]
    expect(matchResults([other.result, spent.result], both, spent.request)).toEqual([spent])
  })

  test('is unknown if results and requests do not match', () => {
    expect(matchResults([spent.result], carried, spent.request)).toBeUndefined()
    expect(matchResults([spent.result], [], spent.request)).toBeUndefined()
    expect(matchResults([], [], spent.request)).toEqual([])
  })
})

/** Reads packed requests byte by byte, as IRelayForwarder.sol describes. */
function readPacked(packed: Hex): SignedRequest[] | 'malformed' {
  const bytes = [...hexToBytes(packed)]
  const take = (count: number) => bytesToHex(Uint8Array.from(bytes.splice(0, count)))
  const requests: SignedRequest[] = []
  while (bytes.length > 0) {
    if (bytes.length < 53) return 'malformed'
    const [from, intentId] = [getAddress(take(20)), take(22)]
    const [deadline, gas, length] = [5, 4, 2].map((count) => Number(take(count))) as number[]
    if (length === undefined || bytes.length < length + 64) return 'malformed'
    const data = length === 0 ? '0x' : take(length)
    const [r, vs] = [take(32), BigInt(take(32))]
    const v = vs >> 255n === 0n ? '0x1b' : '0x1c'
    const s = numberToHex(vs & (2n ** 255n - 1n), { size: 32 })
    const numbers = { deadline: deadline ?? 0, gas: gas ?? 0 }
    requests.push({ from, intentId, ...numbers, data, signature: concatHex([r, s, v]) })
  }
  return requests
}

test('requests are decoded from their calldata, and arbitrary bytes are decoded as packed', () => {
  const abi = relayForwarderAbi
  const bytes = (most: number) => fc.uint8Array({ maxLength: most }).map((read) => bytesToHex(read))
  const word = (length: number) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((read) => bytesToHex(read))
  const request = fc.record({
    from: word(20).map((address) => getAddress(address)),
    intentId: word(22),
    deadline: fc.nat({ max: 2 ** 40 - 1 }),
    gas: fc.nat({ max: 2 ** 32 - 1 }),
    data: bytes(80),
    signature: fc
      .tuple(word(32), word(31), fc.constantFrom('0x1b', '0x1c'))
      .map(([r, s, v]) => concatHex([r, '0x7f', s, v as Hex])),
  })
  const cut = fc.tuple(fc.array(request, { maxLength: 4 }), fc.nat({ max: 400 }), bytes(200))
  fc.assert(
    fc.property(cut, ([requests, end, more]) => {
      const calldata = encodeExecute(requests)
      expect(decodeRequests(calldata)).toEqual(requests)
      const [batch] = decodeFunctionData({ abi, data: calldata }).args as readonly [Hex]
      expect(readPacked(batch)).toEqual(requests)
      const other = concatHex([`0x${batch.slice(2, 2 + 2 * end)}`, more])
      const read = readPacked(other)
      const sent = encodeFunctionData({ abi, functionName: 'execute', args: [other] })
      expect(decodeRequests(sent)).toEqual(read === 'malformed' ? [] : read)
    }),
  )
  expect(decodeRequests('0x')).toEqual([])
  expect(decodeRequests('0xdeadbeef')).toEqual([])
})
