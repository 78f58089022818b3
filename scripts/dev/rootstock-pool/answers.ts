import { toHex } from 'viem'
import { RpcError } from '../../../src/chain/rpc.ts'
import { isObject } from '../../../src/runtime/json.ts'
import type { SignedTransaction } from './transaction.ts'

/** The members of anvil's objects that Rootstock's lack. */
const unknown = new Set([
  ...['baseFeePerGas', 'withdrawals', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas'],
  ...['parentBeaconBlockRoot', 'requestsHash', 'mixHash', 'blockTimestamp', 'accessList'],
  ...['chainId', 'yParity', 'blobGasPrice', 'authorizationList', 'removed'],
])

export function asRskj(method: string, answer: unknown, minGasPriceWei: bigint): unknown {
  const known = withoutUnknown(answer)
  if (!isObject(known) || !method.startsWith('eth_getBlockBy')) return known
  const { nonce: _, ...block } = known
  const minimumGasPrice = toHex(minGasPriceWei)
  const fields = { minimumGasPrice, paidFees: '0x0', bitcoinMergedMiningHeader: '0x' }
  return { ...block, ...fields, cumulativeDifficulty: block.difficulty }
}

function withoutUnknown(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutUnknown)
  if (!isObject(answer)) return answer
  const members = Object.entries(answer).filter(([name]) => !unknown.has(name))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUnknown(member)]))
}

/** Converts anvil's error to RSKj's; reverts are -32015 with their data. */
export function asRskjError(error: RpcError): RpcError {
  if (error.code !== 3) return error
  const message = 'VM Exception while processing transaction: transaction reverted'
  return new RpcError(-32015, message, error.data)
}

export function pendingTransaction(transaction: SignedTransaction): Record<string, unknown> {
  const { hash, nonce, from, to, gas, gasPriceWei, valueWei, data, v, r, s } = transaction
  return {
    hash,
    nonce: toHex(nonce),
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    from: from.toLowerCase(),
    to: to?.toLowerCase() ?? null,
    gas: toHex(gas),
    gasPrice: toHex(gasPriceWei),
    value: toHex(valueWei),
    input: data,
    v: toHex(v),
    r,
    s,
    type: '0x0',
  }
}
