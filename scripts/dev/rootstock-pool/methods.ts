import { type Hex, toHex } from 'viem'
import { RpcError } from '../../../src/chain/rpc.ts'
import { isObject } from '../../../src/runtime/json.ts'
import { asRskj, asRskjError, pendingTransaction } from './answers.ts'
import { addToPool, chainId, type RootstockNode } from './node.ts'
import { refusalWords } from './refusals.ts'
import { decodeTransaction } from './transaction.ts'

/** The methods that RSKj serves; others do not exist. */
const served = new Set(
  [
    'net_listening net_peerCount net_version web3_clientVersion web3_sha3',
    'eth_accounts eth_blockNumber eth_chainId eth_gasPrice eth_syncing',
    'eth_call eth_estimateGas eth_sendRawTransaction eth_getLogs',
    'eth_getBalance eth_getCode eth_getStorageAt eth_getTransactionCount',
    'eth_getBlockByHash eth_getBlockByNumber eth_getTransactionByHash eth_getTransactionReceipt',
    'eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber',
    'eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber',
  ].flatMap((names) => names.split(' ')),
)

/** Answers a call. @throws {RpcError} RSKj's error */
export async function answer(
  node: RootstockNode,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  if (!served.has(method)) throw new RpcError(-32601, 'method not found')
  refuseUnknownTags(method, params)
  switch (method) {
    case 'eth_sendRawTransaction':
      return node.inTurn(() => send(node, params[0]))
    case 'eth_chainId':
      return toHex(chainId)
    case 'web3_clientVersion':
      return 'RskJ/9.1.0/Linux/Java17/SNAPSHOT-local'
    case 'eth_gasPrice':
      // A tenth over the minimum (GasPriceTracker).
      return toHex((node.rules.minGasPriceWei * 11n) / 10n)
    case 'eth_getTransactionByHash':
      return byHash(node, params)
    case 'eth_getTransactionCount':
      return transactionCount(node, params)
    case 'eth_call':
    case 'eth_estimateGas':
      if (params.length > 2) throw new RpcError(-32602, 'invalid argument 2: state overrides')
      return pass(node, method, params)
    default:
      return pass(node, method, params)
  }
}

async function pass({ anvil, rules }: RootstockNode, method: string, params: readonly unknown[]) {
  try {
    return asRskj(method, await anvil(method, params), rules.minGasPriceWei)
  } catch (error) {
    throw error instanceof RpcError ? asRskjError(error) : error
  }
}

async function send(node: RootstockNode, raw: unknown): Promise<Hex> {
  const transaction = await decodeTransaction(raw, chainId)
  const refusal = await addToPool(node, transaction)
  if (refusal === undefined) return transaction.hash
  const bytes = (transaction.raw.length - 2) / 2
  const values = { ...node.rules, bytes, gas: transaction.gas }
  throw new RpcError(-32010, refusalWords(refusal, values))
}

async function byHash(node: RootstockNode, params: readonly unknown[]): Promise<unknown> {
  const found = await pass(node, 'eth_getTransactionByHash', params)
  if (found !== null) return found
  const waiting = node.pool.pending().find(({ hash }) => hash === params[0])
  return waiting === undefined ? null : pendingTransaction(waiting)
}

async function transactionCount(node: RootstockNode, params: readonly unknown[]): Promise<unknown> {
  if (params[1] !== 'pending') return pass(node, 'eth_getTransactionCount', params)
  const account = String(params[0]).toLowerCase()
  const count = Number(await node.anvil('eth_getTransactionCount', [account, 'latest']))
  const own = node.pool.pending().find(({ from }) => from.toLowerCase() === account)
  return toHex(own === undefined ? count : node.pool.of(own.from).nextNonce(count))
}

/** `safe` and `finalized` are Ethereum's: nobody finalizes Rootstock's blocks. */
function refuseUnknownTags(method: string, params: readonly unknown[]): void {
  const filter = params[0]
  const tags =
    method === 'eth_getLogs' && isObject(filter) ? [filter.fromBlock, filter.toBlock] : params
  for (const tag of tags) {
    if (tag === 'safe' || tag === 'finalized') {
      throw new RpcError(-32602, `invalid blocknumber ${tag}`)
    }
  }
}
