import type { Hex } from 'viem'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { bounds, refusals, regtest } from './quirks.ts'
import { basicCost, type Decoded, decodeTransaction } from './transaction.ts'

/** anvil's refusals in the words of RSKj's pool. */
const inRskjsWords: readonly (readonly [RegExp, string])[] = [
  [/already (known|imported)/i, 'pending transaction with same hash already exists'],
  [/nonce too low/i, 'transaction nonce too low'],
  [/underpriced/i, 'gas price not enough to bump transaction'],
  [/insufficient funds/i, 'insufficient funds to pay for pending and new transactions'],
]

/**
 * Takes signed bytes as RSKj does: what it understands of them, in its own encoding, goes to anvil.
 * What accounts have waiting is anvil's business here; `rootstock-pool` models RSKj's rules of that.
 *
 * @returns the hash of RSKj's encoding
 * @throws {RpcError} a refusal
 */
export async function sendRaw(anvil: RpcCall, raw: unknown): Promise<Hex> {
  const transaction = await decodeTransaction(raw)
  const [count, balance] = await Promise.all([
    anvil('eth_getTransactionCount', [transaction.from, 'latest']),
    anvil('eth_getBalance', [transaction.from, 'latest']),
  ])
  const words = refusedBy(transaction, Number(count), BigInt(`${balance}`))
  if (words !== undefined) throw refusals.notTaken(words)
  try {
    await anvil('eth_sendRawTransaction', [transaction.raw])
    return transaction.hash
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { message } = error
    const own = inRskjsWords.find(([pattern]) => pattern.test(message))?.[1]
    throw own === undefined ? refusals.fault() : refusals.notTaken(own)
  }
}

/** TxPendingValidator and its validators, in their order. */
function refusedBy(transaction: Decoded, count: number, balance: bigint): string | undefined {
  const { gas, gasPrice, nonce } = transaction
  const minimum = BigInt(regtest.minimumGasPrice)
  if (count === 0 && balance === 0n) return "the sender account doesn't exist"
  if (nonce < BigInt(count)) return 'transaction nonce too low'
  if (nonce >= BigInt(count + bounds.accountSlots)) return 'transaction nonce too high'
  if (gas > BigInt(regtest.gasLimit)) {
    return `transaction's gas limit of ${gas} is higher than the block's gas limit of ${regtest.gasLimit}`
  }
  if (gasPrice < minimum) return "transaction's gas price lower than block's minimum"
  if (gasPrice > minimum * regtest.priceCapTimes) return "transaction's gas price exceeds cap"
  if (gas < basicCost(transaction)) return "transaction's basic cost is above the gas limit"
  return undefined
}
