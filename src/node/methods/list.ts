import { chainGetRawBlockHeaderByHash } from './chain-get-raw-block-header-by-hash.ts'
import { chainGetRawBlockHeaderByNumber } from './chain-get-raw-block-header-by-number.ts'
import { chainGetRawTransactionReceiptByHash } from './chain-get-raw-transaction-receipt-by-hash.ts'
import { chainGetTransactionReceiptNodesByHash } from './chain-get-transaction-receipt-nodes-by-hash.ts'
import { chainProtocolVersion } from './chain-protocol-version.ts'
import { ethAccounts } from './eth-accounts.ts'
import { ethBlockNumber } from './eth-block-number.ts'
import { ethCall } from './eth-call.ts'
import { ethChainId } from './eth-chain-id.ts'
import { ethEstimateGas } from './eth-estimate-gas.ts'
import { ethGasPrice } from './eth-gas-price.ts'
import { ethGetBalance } from './eth-get-balance.ts'
import { ethGetBlockByHash } from './eth-get-block-by-hash.ts'
import { ethGetBlockByNumber } from './eth-get-block-by-number.ts'
import { ethGetCode } from './eth-get-code.ts'
import {
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
} from './eth-get-counts.ts'
import { ethGetLogs } from './eth-get-logs.ts'
import { ethGetStorageAt } from './eth-get-storage-at.ts'
import { ethGetTransactionByBlockHashAndIndex } from './eth-get-transaction-by-block-hash-and-index.ts'
import { ethGetTransactionByBlockNumberAndIndex } from './eth-get-transaction-by-block-number-and-index.ts'
import { ethGetTransactionByHash } from './eth-get-transaction-by-hash.ts'
import { ethGetTransactionCount } from './eth-get-transaction-count.ts'
import { ethGetTransactionReceipt } from './eth-get-transaction-receipt.ts'
import { ethProtocolVersion } from './eth-protocol-version.ts'
import { ethSendRawTransaction } from './eth-send-raw-transaction.ts'
import { ethSubscribe } from './eth-subscribe.ts'
import { ethUnsubscribe } from './eth-unsubscribe.ts'
import type { Method } from './method.ts'
import { netVersion } from './net-version.ts'
import { rpcDiscover } from './rpc-discover.ts'
import { traceBlock } from './trace-block.ts'
import { traceFilter } from './trace-filter.ts'
import { traceTransaction } from './trace-transaction.ts'
import { web3ClientVersion } from './web3-client-version.ts'
import { web3Sha3 } from './web3-sha3.ts'

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
