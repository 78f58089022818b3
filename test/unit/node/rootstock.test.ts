import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { serve } from '../../chain/node/support/serve.ts'
import { type Pair, pairs } from './portal.ts'
import { answeringNode } from './scripted-node.ts'

const answers = new Map(pairs.map(({ method, params, result }) => [keyOf(method, params), result]))

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params).toLowerCase()}`
}

/** The hosted service, as far as it is printed. */
const replay = answeringNode(({ method, params }) => {
  const result = answers.get(keyOf(method, params))
  return result === undefined ? { error: { code: -32602, message: 'not printed' } } : { result }
})

const served = await serve(['http://rskj.test/'], 31, replay)

/** What the specification words otherwise than the portal prints. */
function expected({ method, result }: Pair): unknown {
  switch (method) {
    case 'eth_getTransactionReceipt':
      // RSKj 6.2.0 did not print it; it is the price of the transaction.
      return { ...(result as object), effectiveGasPrice: '0x387ee40' }
    case 'rsk_getTransactionReceiptNodesByHash':
      // From the root to the receipt.
      return (result as string[]).toReversed()
    default:
      return result
  }
}

describe('what RSKj answers reaches the client as the portal prints it', () => {
  test.for(pairs.map((pair) => [pair.method, pair] as const))('%s', async ([method, pair]) => {
    const answer = await served.rpc(method, pair.params)
    if (method === 'eth_sendRawTransaction') {
      // The printed bytes are those of an example: they are not a transaction.
      const message = expect.stringContaining('these bytes are not a signed transaction')
      expect(answer.error).toMatchObject({ message })
      return
    }
    const { result, error } = answer
    expect({ result, error }).toEqual({ result: expected(pair), error: undefined })
    expect(await served.rpc(method.replace('rsk_', 'chain_'), pair.params)).toEqual(answer)
  })

  test('all 38 of them', () => {
    expect(pairs).toHaveLength(38)
  })
})

test('the raw header of RSKj hashes to its block, as on Rootstock it does up to RSKIP351', () => {
  const pair = pairs.find(({ method }) => method === 'rsk_getRawBlockHeaderByHash')
  expect(keccak256(pair?.result as `0x${string}`)).toBe(pair?.params[0])
})
