import { RpcError } from '../../../src/chain/rpc.ts'

/** How RSKj 9.0.3 refuses, each with the place of its source that does so. */
export const refusals = {
  /** JsonRpcMethodFilter. */
  noMethod: () => new RpcError(-32601, 'method not found'),
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
  /** EthModule: no client decodes this code. */
  reverted: (reason: string | undefined, data: unknown) => {
    const words = reason === undefined ? 'transaction reverted' : `revert ${reason}`
    return new RpcError(-32015, `VM Exception while processing transaction: ${words}`, data)
  },
  /** LogFilter.checkLimit. */
  logBlocks: (most: number) =>
    new RpcError(-32012, `Cannot query more than ${most} blocks at once`),
  /** LogFilter.add. */
  logCount: (most: number) => new RpcError(-32012, `Filter returned more than ${most} logs.`),
} as const

/** `rpc.logs.maxBlocksToQuery` and `rpc.logs.maxLogsToReturn` in RSKj's `reference.conf`. */
export const bounds = { logBlocks: 5_000, logs: 20_000 } as const

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
} as const
