import { describe, expect, test } from 'vitest'
import { type PrintedCall, printedCalls } from '../../../scripts/dev/printed-rpc.ts'
import { chains } from '../../../src/chain/chains.ts'
import { proveHeader } from '../../../src/node/objects/header.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { answeringNode } from '../../support/fake-node.ts'
import { printed } from './portal.ts'

const answers = new Map(
  printedCalls.map(({ method, params, result }) => [keyOf(method, params), result]),
)

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params).toLowerCase()}`
}

/** Of other blocks only counts are printed. */
function otherBlock(by: string, selector: unknown) {
  const listOf = (count: string) =>
    Array(Number(answers.get(keyOf(count, [selector])) ?? 1)).fill(printed.hash)
  const transactions = listOf(`eth_getBlockTransactionCountBy${by}`)
  const uncles = listOf(`eth_getUncleCountByBlock${by}`)
  return { ...printed, [by.toLowerCase()]: selector, transactions, uncles }
}

/** The hosted service, as far as it is printed. */
const replay = answeringNode(({ method, params }) => {
  const by = /^eth_getBlockBy(Hash|Number)$/.exec(method)?.[1]
  const result = answers.get(keyOf(method, params)) ?? (by && otherBlock(by, params[0]))
  return result === undefined ? { error: { code: -32602, message: 'not printed' } } : { result }
})

const served = await serve(['http://rskj.test/'], 31, replay)

/** Adapts the portal's results to the specification. */
function expected({ method, result }: PrintedCall): unknown {
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
  test.for(printedCalls.map((pair) => [pair.method, pair] as const))(
    '%s',
    async ([method, pair]) => {
      const answer = await served.rpc(method, pair.params)
      if (method === 'eth_sendRawTransaction') {
        // The printed bytes are those of an example: they are not a transaction.
        const message = expect.stringContaining('these bytes are not a signed transaction')
        expect(answer.error).toMatchObject({ message })
        return
      }
      const { result, error } = answer
      if (method === 'eth_getLogs') {
        // The block shows by its bloom that it has logs, but none of the address of which one is
        // printed, from another block; the receipts that prove them are not printed.
        if ('address' in Object(pair.params[0])) expect(result).toEqual([])
        else expect(error).toBeDefined()
        return
      }
      expect({ result, error }).toEqual({ result: expected(pair), error: undefined })
      expect(await served.rpc(method.replace('rsk_', 'chain_'), pair.params)).toEqual(answer)
    },
  )

  test('all 38 of them', () => {
    expect(printedCalls).toHaveLength(38)
  })
})

test('the block of the test network proves itself, and the work that its miners did for it', () => {
  const raw = printedCalls.find(({ method }) => method === 'rsk_getRawBlockHeaderByHash')?.result
  const { mining } = chains[31]
  expect(proveHeader(printed, { ...mining, from: 1 })).toEqual({ raw, trieKind: 'rootstock' })
  const harder = { from: 1, minDifficulty: BigInt(`${printed.difficulty}`) + 1n }
  expect(() => proveHeader(printed, harder)).toThrow('below that of its network')
})
