import { RpcError } from '../../../src/chain/rpc.ts'

/**
 * How RSKj 9.0.3 refuses, each with where it does so: a file of RSKj's source, or "recorded" for
 * what a real node answered (`test/fixtures/rskj-9.0.3-*.json`) or was seen to answer.
 */
export const refusals = {
  /** RskErrorResolver: whatever its code did not foresee. */
  fault: () => new RpcError(-32603, 'Internal server error'),
  /** JsonRpcMethodFilter. */
  noMethod: () => new RpcError(-32601, 'method not found'),
  /** jsonrpc4j: too few parameters, or too many. */
  parameterCount: () => new RpcError(-32602, 'method parameters invalid'),
  /** Web3InformationRetriever; the code of a request that is invalid. */
  noBlock: (block: string) => new RpcError(-32600, `Block ${block} not found`),
  /** Web3Impl.toInvokeByBlockHash, eth_getUncleCountByBlockHash (there without `0x`). */
  noBlockOfHash: (hash: string) => new RpcError(-32600, `Block with hash ${hash} not found`),
  /** Web3Impl.toInvokeByBlockHash. */
  notCanonical: (hash: string) =>
    new RpcError(-32600, `Block with hash ${hash} is not canonical and it is required`),
  /** Web3InformationRetriever, for blocks whose state is gone. */
  noState: (hash: string) => new RpcError(-32600, `State not found for block with hash ${hash}`),
  /** ExecutionBlockRetriever: calls at a block that is not there yet. */
  noBlockToRunAt: (number: number) => new RpcError(-32602, `Invalid block number ${number}`),
  /** Web3InformationRetriever, TraceModuleImpl: `safe` and `finalized` too. */
  noSuchTag: (tag: string) => new RpcError(-32602, `invalid blocknumber ${tag}`),
  /** BlockIdentifierParam. */
  noIdentifier: (text: string) => new RpcError(-32602, `Invalid block identifier '${text}'`),
  /** HashParam32. */
  hashLength: (what: string) => new RpcError(-32602, `Invalid ${what}: incorrect length.`),
  /** HexAddressParam. */
  noAddress: () => new RpcError(-32602, 'Invalid address: null, empty or invalid hex value.'),
  /** HexDataParam. */
  noHex: () => new RpcError(-32602, 'Invalid data format: invalid hex value.'),
  /** EthModuleTransactionBase.sendRawTransaction, with the words of RLP's decoder. */
  noRlp: (words: string) => new RpcError(-32602, `Invalid input: ${words}`),
  /** EthModuleTransactionBase: another chain's, and any signature that is out of bounds. */
  chainId: (id: number) => new RpcError(-32602, `Invalid chainId: ${id}`),
  /** RskErrorResolver, of an InvalidRskAddressException in a transaction. */
  receiverLength: (digits: number) =>
    new RpcError(
      -32602,
      `invalid argument 0: hex string has length ${digits}, want 40 for RSK address`,
    ),
  /** TransactionPoolImpl, TxPendingValidator and its validators. */
  notTaken: (words: string) => new RpcError(-32010, words),
  /** EthModule: no client decodes this code. */
  reverted: (reason: string | undefined, data: unknown) => {
    const words = reason === undefined ? 'transaction reverted' : `revert ${reason}`
    return new RpcError(-32015, `VM Exception while processing transaction: ${words}`, data)
  },
  /** LogFilter (EIP-234). */
  hashAndRange: () => new RpcError(-32602, 'Cannot specify both blockHash and fromBlock/toBlock'),
  /** LogFilter.checkLimit. */
  logBlocks: (most: number) =>
    new RpcError(-32012, `Cannot query more than ${most} blocks at once`),
  /** LogFilter.add. */
  logCount: (most: number) => new RpcError(-32012, `Filter returned more than ${most} logs.`),
  /** TraceModuleImpl.validateTraceFilterRequest. */
  traceCount: (most: number) =>
    new RpcError(-32602, `Count value too big. Maximum ${most} traces allowed.`),
  traceOffset: (most: number) =>
    new RpcError(-32602, `After value too big. Maximum ${most} traces allowed.`),
  negativeOffset: () => new RpcError(-32602, 'After value cannot be negative.'),
  /** TraceModuleImpl.validateBlockRange: only where both blocks are there. */
  traceRange: () => new RpcError(-32602, 'fromBlock cannot be greater than toBlock'),
} as const

/** Bounds in RSKj's `reference.conf`. */
export const bounds = {
  /** `rpc.providers.web.max_batch_requests_size`. */
  batch: 50,
  /** `rpc.logs.maxBlocksToQuery`, `rpc.logs.maxLogsToReturn`. */
  logBlocks: 5_000,
  logs: 20_000,
  /** `rpc.trace.maxTracesPerRequest`. */
  traces: 10_000,
  /** `transaction.accountSlots`. */
  accountSlots: 16,
} as const

/** Web3ResultHttpResponseHandler with jsonrpc4j's codes, as a real node was seen to have them. */
export function httpStatus(code: number): number {
  return [-32700, -32600, -32602].includes(code) ? 400 : 200
}

/** What is the same in every block of a chain that one miner makes in regtest. */
export const regtest = {
  clientVersion: 'RskJ/9.0.3/Linux/Java17/VETIVER-dev',
  /** The wire protocol (recorded). */
  protocolVersion: '0x3e',
  chainId: 31,
  miner: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
  extraData: '0xcd018b564554495645522d646576',
  difficulty: '0x1',
  gasLimit: 6_800_000,
  minimumGasPrice: '0x18dbac0',
  /** GasPriceTracker: a tenth above the minimum. */
  gasPrice: '0x1b580a0',
  /** TxValidatorMaximumGasPriceValidator: above so many times the minimum a price is refused. */
  priceCapTimes: 80n,
} as const
