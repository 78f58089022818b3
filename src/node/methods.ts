import type { Method } from './method.ts'
import { chainGetRawBlockHeaderByHash } from './methods/chain-get-raw-block-header-by-hash.ts'
import { chainGetRawBlockHeaderByNumber } from './methods/chain-get-raw-block-header-by-number.ts'
import { chainGetRawTransactionReceiptByHash } from './methods/chain-get-raw-transaction-receipt-by-hash.ts'
import { chainGetTransactionReceiptNodesByHash } from './methods/chain-get-transaction-receipt-nodes-by-hash.ts'
import { chainProtocolVersion } from './methods/chain-protocol-version.ts'
import { ethAccounts } from './methods/eth-accounts.ts'
import { ethBlockNumber } from './methods/eth-block-number.ts'
import { ethCall } from './methods/eth-call.ts'
import { ethChainId } from './methods/eth-chain-id.ts'
import { ethEstimateGas } from './methods/eth-estimate-gas.ts'
import { ethGasPrice } from './methods/eth-gas-price.ts'
import { ethGetBalance } from './methods/eth-get-balance.ts'
import { ethGetBlockByHash } from './methods/eth-get-block-by-hash.ts'
import { ethGetBlockByNumber } from './methods/eth-get-block-by-number.ts'
import { ethGetBlockTransactionCountByHash } from './methods/eth-get-block-transaction-count-by-hash.ts'
import { ethGetBlockTransactionCountByNumber } from './methods/eth-get-block-transaction-count-by-number.ts'
import { ethGetCode } from './methods/eth-get-code.ts'
import { ethGetLogs } from './methods/eth-get-logs.ts'
import { ethGetStorageAt } from './methods/eth-get-storage-at.ts'
import { ethGetTransactionByBlockHashAndIndex } from './methods/eth-get-transaction-by-block-hash-and-index.ts'
import { ethGetTransactionByBlockNumberAndIndex } from './methods/eth-get-transaction-by-block-number-and-index.ts'
import { ethGetTransactionByHash } from './methods/eth-get-transaction-by-hash.ts'
import { ethGetTransactionCount } from './methods/eth-get-transaction-count.ts'
import { ethGetTransactionReceipt } from './methods/eth-get-transaction-receipt.ts'
import { ethGetUncleCountByBlockHash } from './methods/eth-get-uncle-count-by-block-hash.ts'
import { ethGetUncleCountByBlockNumber } from './methods/eth-get-uncle-count-by-block-number.ts'
import { ethProtocolVersion } from './methods/eth-protocol-version.ts'
import { ethSendRawTransaction } from './methods/eth-send-raw-transaction.ts'
import { ethSubscribe } from './methods/eth-subscribe.ts'
import { ethUnsubscribe } from './methods/eth-unsubscribe.ts'
import { netVersion } from './methods/net-version.ts'
import { rpcDiscover } from './methods/rpc-discover.ts'
import { traceBlock } from './methods/trace-block.ts'
import { traceFilter } from './methods/trace-filter.ts'
import { traceTransaction } from './methods/trace-transaction.ts'
import { web3ClientVersion } from './methods/web3-client-version.ts'
import { web3Sha3 } from './methods/web3-sha3.ts'

/** Every method that is served; what is not here does not exist. */
export const methods: readonly Method[] = [
  chainGetRawBlockHeaderByHash,
  chainGetRawBlockHeaderByNumber,
  chainGetRawTransactionReceiptByHash,
  chainGetTransactionReceiptNodesByHash,
  chainProtocolVersion,
  ethAccounts,
  ethBlockNumber,
  ethCall,
  ethChainId,
  ethEstimateGas,
  ethGasPrice,
  ethGetBalance,
  ethGetBlockByHash,
  ethGetBlockByNumber,
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetCode,
  ethGetLogs,
  ethGetStorageAt,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionByHash,
  ethGetTransactionCount,
  ethGetTransactionReceipt,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
  ethProtocolVersion,
  ethSendRawTransaction,
  ethSubscribe,
  ethUnsubscribe,
  netVersion,
  rpcDiscover,
  traceBlock,
  traceFilter,
  traceTransaction,
  web3ClientVersion,
  web3Sha3,
]
