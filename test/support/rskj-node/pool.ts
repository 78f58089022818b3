import type { Hex } from 'viem'
import { type PoolRefusal, refusalWords } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { classifyRefusal, type SendRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { bounds, refusals, regtest } from './quirks.ts'
import { basicCost, type Decoded, decodeTransaction } from './transaction.ts'

/** What RSKj's pool calls anvil's refusals. */
const inRskj: Partial<Record<SendRefusal, PoolRefusal>> = {
  known: 'known',
  nonce_used: 'nonce_used',
  nonce_occupied: 'underbid',
  price_too_low: 'underbid',
  insufficient_funds: 'poor_for_all',
}

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
  if (Number(count) === 0 && BigInt(`${balance}`) === 0n) {
    throw refusals.notTaken("the sender account doesn't exist")
  }
  const own = refusedBy(transaction, Number(count))
  if (own !== undefined) throw refusals.notTaken(wordsOf(own, transaction))
  try {
    await anvil('eth_sendRawTransaction', [transaction.raw])
    return transaction.hash
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const refusal = inRskj[classifyRefusal(error)]
    throw refusal === undefined
      ? refusals.fault()
      : refusals.notTaken(wordsOf(refusal, transaction))
  }
}

const wordsOf = (refusal: PoolRefusal, { gas }: Decoded): string =>
  refusalWords(refusal, 'rskj', { gas, blockGas: regtest.gasLimit })

/** TxPendingValidator and its validators, in their order. */
function refusedBy(transaction: Decoded, count: number): PoolRefusal | undefined {
  const { gas, gasPrice, nonce } = transaction
  const minimum = BigInt(regtest.minimumGasPrice)
  if (nonce < BigInt(count)) return 'nonce_used'
  if (nonce >= BigInt(count + bounds.accountSlots)) return 'nonce_too_high'
  if (gas > BigInt(regtest.gasLimit)) return 'over_block'
  if (gasPrice < minimum) return 'price_too_low'
  if (gasPrice > minimum * regtest.priceCapTimes) return 'price_too_high'
  return gas < basicCost(transaction) ? 'basic_cost' : undefined
}
