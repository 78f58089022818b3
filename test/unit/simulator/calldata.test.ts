import { decodeFunctionResult, getAddress } from 'viem'
import { describe, test } from 'vitest'
import { createRandom } from '../../../scripts/dev/random.ts'
import {
  processedLog,
  readExecute,
  resultData,
} from '../../../scripts/dev/simulator/model/calldata.ts'
import { digest } from '../../../scripts/dev/simulator/model/hashing.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import {
  encodeExecute,
  resultsInLogs,
  type SignedRequest,
} from '../../../src/relay/forwarder/requests.ts'

const forwarder = `0x${'f0'.repeat(20)}` as const

function requests(seed: number): SignedRequest[] {
  const random = createRandom(seed, 'requests')
  const hex = (bytes: number) =>
    `0x${Array.from({ length: bytes }, () => random.int(0, 255).toString(16).padStart(2, '0')).join('')}` as const
  return Array.from({ length: random.int(0, 4) }, () => ({
    from: hex(20),
    to: hex(20),
    intentId: hex(32),
    gas: random.int(0, 1_000_000),
    deadline: random.int(0, 2_000_000_000),
    data: hex(random.int(0, 100)),
    signature: hex(65),
  }))
}

describe("the model's reading and writing", () => {
  test.for([1, 2, 3, 4, 5, 6, 7, 8])(
    "of calldata is viem's, for random requests %i",
    (seed, { expect }) => {
      expect(readExecute(encodeExecute(requests(seed)))).toEqual(requests(seed))
    },
  )

  test('of anything but execute is no requests', ({ expect }) => {
    expect(readExecute('0x')).toEqual([])
    expect(readExecute('0xdeadbeef')).toEqual([])
  })

  test('of results and events is what the relay reads', ({ expect }) => {
    const processed = {
      intentId: digest('intent'),
      from: forwarder,
      status: 1,
      returnData: '0x1234' as const,
    }
    const data = resultData([processed])
    const results = decodeFunctionResult({
      abi: relayForwarderAbi,
      functionName: 'execute',
      data,
    })
    expect(results).toEqual([{ status: 1, returnData: '0x1234' }])
    const logs = [processedLog(forwarder, processed)]
    expect(resultsInLogs({ chainId: 31, address: forwarder }, logs)).toEqual([
      {
        intentId: digest('intent'),
        from: getAddress(forwarder),
        status: 'failed',
        returnData: '0x1234',
      },
    ])
  })
})
