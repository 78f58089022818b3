import type { Method } from './method.ts'
import { ethBlockNumber } from './methods/eth-block-number.ts'
import { ethCall } from './methods/eth-call.ts'
import { ethChainId } from './methods/eth-chain-id.ts'
import { ethEstimateGas } from './methods/eth-estimate-gas.ts'
import { ethGasPrice } from './methods/eth-gas-price.ts'
import { ethGetBalance } from './methods/eth-get-balance.ts'
import { ethGetBlockByHash } from './methods/eth-get-block-by-hash.ts'
import { ethGetBlockByNumber } from './methods/eth-get-block-by-number.ts'
import { ethGetCode } from './methods/eth-get-code.ts'
import { ethGetLogs } from './methods/eth-get-logs.ts'
import { ethGetStorageAt } from './methods/eth-get-storage-at.ts'
import { ethGetTransactionByHash } from './methods/eth-get-transaction-by-hash.ts'
import { ethGetTransactionCount } from './methods/eth-get-transaction-count.ts'
import { ethGetTransactionReceipt } from './methods/eth-get-transaction-receipt.ts'
import { ethSendRawTransaction } from './methods/eth-send-raw-transaction.ts'
import { netVersion } from './methods/net-version.ts'
import { web3ClientVersion } from './methods/web3-client-version.ts'

/** Every method that is served; what is not here does not exist. */
export const methods: readonly Method[] = [
  ethBlockNumber,
  ethCall,
  ethChainId,
  ethEstimateGas,
  ethGasPrice,
  ethGetBalance,
  ethGetBlockByHash,
  ethGetBlockByNumber,
  ethGetCode,
  ethGetLogs,
  ethGetStorageAt,
  ethGetTransactionByHash,
  ethGetTransactionCount,
  ethGetTransactionReceipt,
  ethSendRawTransaction,
  netVersion,
  web3ClientVersion,
]
