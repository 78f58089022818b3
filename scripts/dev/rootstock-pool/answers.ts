import { RpcError } from '../../../src/chain/rpc.ts'
import type { SignedTransaction } from './transaction.ts'

/** Members of anvil's blocks that Rootstock's do not have. */
const notInBlocks = [
  'baseFeePerGas',
  'withdrawals',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'mixHash',
  'nonce',
]
const notInTransactions = ['blockTimestamp', 'accessList', 'chainId', 'yParity']
const notInReceipts = ['blobGasPrice', 'blobGasUsed', 'authorizationList']
const notInLogs = ['removed', 'blockTimestamp']

/** anvil's answer in the shape of RSKj's. Methods that both answer alike pass. */
export function asRskj(method: string, answer: unknown, minGasPriceWei: bigint): unknown {
  switch (method) {
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return isObject(answer) ? block(answer, minGasPriceWei) : answer
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionByBlockHashAndIndex':
    case 'eth_getTransactionByBlockNumberAndIndex':
      return isObject(answer) ? without(answer, notInTransactions) : answer
    case 'eth_getTransactionReceipt':
      return isObject(answer) ? receipt(answer) : answer
    case 'eth_getLogs':
      return Array.isArray(answer) ? answer.map(log) : answer
    case 'web3_clientVersion':
      return 'RskJ/9.1.0/Linux/Java17/SNAPSHOT-local'
    default:
      return answer
  }
}

/** A refusal of anvil in RSKj's words: reverts are -32015 with their data. */
export function asRskjError(error: RpcError): RpcError {
  if (error.code !== 3) return error
  return new RpcError(
    -32015,
    'VM Exception while processing transaction: transaction reverted',
    error.data,
  )
}

/** A waiting transaction as RSKj shows it. */
export function pendingTransaction(transaction: SignedTransaction): Record<string, unknown> {
  const { hash, nonce, from, to, gas, gasPriceWei, valueWei, data, v, r, s } = transaction
  return {
    hash,
    nonce: quantity(nonce),
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    from: from.toLowerCase(),
    to: to?.toLowerCase() ?? null,
    gas: quantity(gas),
    gasPrice: quantity(gasPriceWei),
    value: quantity(valueWei),
    input: data,
    v: quantity(v),
    r,
    s,
    type: '0x0',
  }
}

/** What jsonrpc4j, which RSKj serves with, answers as the status of an error (single requests). */
export function httpStatus(code: number): number {
  if (code === -32600) return 400
  return code === -32601 ? 404 : 500
}

export const quantity = (value: number | bigint): `0x${string}` => `0x${value.toString(16)}`

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function block(answer: Record<string, unknown>, minGasPriceWei: bigint): Record<string, unknown> {
  const { transactions } = answer
  return {
    ...without(answer, notInBlocks),
    transactions: Array.isArray(transactions)
      ? transactions.map((one) => (isObject(one) ? without(one, notInTransactions) : one))
      : [],
    minimumGasPrice: quantity(minGasPriceWei),
    paidFees: '0x0',
    cumulativeDifficulty: answer.difficulty,
  }
}

function receipt(answer: Record<string, unknown>): Record<string, unknown> {
  const { logs } = answer
  return {
    ...without(answer, notInReceipts),
    logs: Array.isArray(logs) ? logs.map(log) : [],
  }
}

function log(value: unknown): unknown {
  return isObject(value) ? without(value, notInLogs) : value
}

function without(value: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}
