import type { Hex } from 'viem'
import { brokenAlone } from '../../../scripts/dev/rootstock-pool/account-pool.ts'
import {
  internalFault,
  type PoolRefusal,
  refusalWords,
} from '../../../scripts/dev/rootstock-pool/refusals.ts'
import { rootstockRules } from '../../../scripts/dev/rootstock-pool/rules.ts'
import { decodeTransaction } from '../../../scripts/dev/rootstock-pool/transaction.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { classifyRefusal, type SendRefusal } from '../../../src/chain/refusals.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { regtest } from './quirks.ts'

/** What RSKj's pool calls anvil's refusals. */
const inRskj: Partial<Record<SendRefusal, PoolRefusal>> = {
  known: 'known',
  nonce_used: 'nonce_used',
  nonce_occupied: 'underbid',
  price_too_low: 'underbid',
  insufficient_funds: 'poor_for_all',
}

/** Takes signed bytes by RSKj's rules; what waits is anvil's business. @throws {RpcError} a refusal */
export async function sendRaw(anvil: RpcCall, raw: unknown): Promise<Hex> {
  const transaction = await decodeTransaction(raw, regtest.chainId)
  const [count, balance] = await Promise.all([
    anvil('eth_getTransactionCount', [transaction.from, 'latest']),
    anvil('eth_getBalance', [transaction.from, 'latest']),
  ])
  const [stateNonce, balanceWei] = [Number(count), BigInt(`${balance}`)]
  const notTaken = (words: string) => new RpcError(-32010, words)
  const wordsOf = (refusal: PoolRefusal) =>
    refusalWords(refusal, 'rskj', { ...rootstockRules, gas: transaction.gas })
  if (stateNonce === 0 && balanceWei === 0n) throw notTaken("the sender account doesn't exist")
  const own = brokenAlone(rootstockRules, transaction, {
    stateNonce,
    balanceWei,
    minGasPriceWei: BigInt(regtest.minimumGasPrice),
  })
  if (own !== undefined) throw notTaken(wordsOf(own))
  try {
    await anvil('eth_sendRawTransaction', [transaction.raw])
    return transaction.hash
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const refusal = inRskj[classifyRefusal(error)]
    throw refusal === undefined ? internalFault() : notTaken(wordsOf(refusal))
  }
}
