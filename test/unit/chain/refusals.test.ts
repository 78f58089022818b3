import { describe, expect, test } from 'vitest'
import { poolRefusals } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import { classifyRefusal, isRefusal, type ReadRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

test.for([
  ["transaction's gas price exceeds the cap", 'price_too_high'],
  // anvil
  ['transaction already imported', 'known'],
  ['nonce too low: next nonce 5, tx nonce 3', 'nonce_used'],
  ['Insufficient funds for gas * price + value', 'insufficient_funds'],
] as const)(
  `a node's refusal of a transaction in the words "%s" means %s`,
  ([message, meaning]) => {
    expect(classifyRefusal(new RpcError(-32010, message))).toBe(meaning)
  },
)

test("the relay understands each refusal of a pool, in each family's words", () => {
  for (const { means, ...words } of Object.values(poolRefusals)) {
    for (const message of Object.values(words)) {
      expect(classifyRefusal(new RpcError(-32010, message)), message).toBe(means)
    }
  }
})

describe("a node's refusal of a question", () => {
  const all: ReadRefusal[] = ['no_block', 'no_state', 'no_transaction', 'cannot_tell', 'too_much']

  test.for([
    // RSKj
    ['Block 0x1a not found', ['no_block', 'cannot_tell']],
    ['Invalid block number 99', ['no_state']],
    // anvil
    ['BlockOutOfRangeError: block height is 5 but requested was 9', ['no_block', 'cannot_tell']],
    ['Resource not found', ['no_block', 'cannot_tell']],
    // EthereumJS
    ['unknown block', ['no_block', 'cannot_tell']],
    ['specified block greater than current height', ['no_block']],
    // Erigon, Nethermind
    ['transaction not found', ['no_transaction', 'cannot_tell']],
    // A node that lacks it, which says nothing of the chain.
    ['header not found', ['cannot_tell']],
    ['missing trie node 0xab', ['cannot_tell']],
    ['query returned more than 10000 results', ['too_much']],
    ['execution reverted', []],
  ] as const)('"%s" means %j', ([message, meanings]) => {
    const error = new RpcError(-32000, message)
    expect(all.filter((meaning) => isRefusal(error, meaning))).toEqual(meanings)
  })
})
