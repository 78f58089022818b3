import { describe, test } from 'vitest'
import { classifyRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'

describe("a node's refusal of a transaction", () => {
  test.for([
    // RSKj
    ['pending transaction with same hash already exists', 'known'],
    ['queued transaction with same hash already exists', 'known'],
    ['transaction nonce too low', 'nonce_used'],
    ['transaction nonce too high', 'nonce_too_high'],
    ['gas price not enough to bump transaction', 'nonce_occupied'],
    ['insufficient funds for gas * price + value', 'insufficient_funds'],
    ['account exceeds quota', 'quota'],
    ["transaction's gas price lower than block's minimum", 'price_too_low'],
    ["transaction's gas price exceeds the cap", 'price_too_high'],
    // geth, anvil
    ['already known', 'known'],
    ['transaction already imported', 'known'],
    ['nonce too low: next nonce 5, tx nonce 3', 'nonce_used'],
    ['replacement transaction underpriced', 'nonce_occupied'],
    ['transaction underpriced', 'price_too_low'],
    ['Insufficient funds for gas * price + value', 'insufficient_funds'],
    ['intrinsic gas too low', 'other'],
  ] as const)('"%s" means %s', ([message, meaning], { expect }) => {
    expect(classifyRefusal(new RpcError(-32010, message))).toBe(meaning)
  })
})
