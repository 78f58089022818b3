import { type Hex, keccak256, numberToHex, toRlp } from 'viem'
import { internalFault } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import type { Answer } from '../../../scripts/dev/rootstock-pool/server.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import type { Block, Chain, Transaction } from './chain.ts'
import { remascTransaction, transactionOf } from './chain.ts'
import { logsOf } from './logs.ts'
import { sendRaw } from './pool.ts'
import { refusals, regtest } from './quirks.ts'
import { createState } from './state.ts'
import { createTraces, tracedBy } from './traces.ts'

type Served = Record<string, (...params: readonly unknown[]) => unknown>

/** Makes the methods of RSKj that the service asks for, and those that its own specification names. */
export function createAnswers(anvil: RpcCall, chain: Chain, traced = tracedBy(anvil)): Answer {
  const methods: Served = {
    ...fixed,
    ...ofBlocks(anvil, chain),
    ...ofTransactions(anvil, chain),
    ...ofState(anvil, chain),
    ...raw(chain),
    ...ofTraces(anvil, chain, traced),
  }
  return async (method, params) => {
    const answer = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (answer === undefined) throw refusals.noMethod()
    await chain.follow()
    return await answer(...params)
  }
}

const fixed: Served = {
  web3_clientVersion: () => regtest.clientVersion,
  web3_sha3: (data) => keccak256(`${data}` as Hex),
  net_version: () => `${regtest.chainId}`,
  eth_chainId: () => numberToHex(regtest.chainId),
  eth_protocolVersion: () => regtest.protocolVersion,
  rsk_protocolVersion: () => regtest.protocolVersion,
  eth_gasPrice: () => regtest.gasPrice,
  eth_syncing: () => false,
  eth_accounts: () => [],
}

function ofBlocks(anvil: RpcCall, chain: Chain): Served {
  const { blockOf } = createState(anvil, chain)
  const counted = (selector: unknown): Block => {
    const block = blockOf(`${selector}`)
    if (block === undefined) throw refusals.noBlock(`${selector}`)
    return block
  }
  return {
    eth_blockNumber: () => numberToHex(chain.head().number),
    eth_getBlockByNumber: (selector, full) =>
      selector === 'pending'
        ? pendingBlock(anvil, chain, full === true)
        : printed(blockOf(`${selector}`), full),
    eth_getBlockByHash: (hash, full) => printed(chain.byHash(`${hash}`), full),
    async eth_getBlockTransactionCountByNumber(selector) {
      if (selector === 'pending') return numberToHex((await waiting(anvil)).length)
      return numberToHex(counted(selector).printed.transactions.length)
    },
    eth_getBlockTransactionCountByHash(hash) {
      const block = chain.byHash(`${hash}`)
      return block === undefined ? null : numberToHex(block.printed.transactions.length)
    },
    eth_getUncleCountByBlockNumber(selector) {
      if (selector !== 'pending') counted(selector)
      return '0x0'
    },
    eth_getUncleCountByBlockHash(hash) {
      if (chain.byHash(`${hash}`) === undefined) throw refusals.noBlockOfHash(`${hash}`.slice(2))
      return '0x0'
    },
    eth_getLogs: (filter) => logsOf(chain, filter),
  }
}

function ofTransactions(anvil: RpcCall, chain: Chain): Served {
  const { blockOf } = createState(anvil, chain)
  const inBlock = (block: Block | undefined, index: unknown) =>
    block?.printed.transactions[Number(index)] ?? null
  return {
    eth_sendRawTransaction: (raw) => sendRaw(anvil, raw),
    // Hashes are the same in both: PendingTransactionFilter tells what enters the pool.
    eth_newPendingTransactionFilter: () => anvil('eth_newPendingTransactionFilter'),
    eth_getFilterChanges: (id) => anvil('eth_getFilterChanges', [id]),
    async eth_getTransactionByHash(hash) {
      const found = chain.receipt(`${hash}`)
      if (found !== undefined) return inBlock(found.block, found.index)
      return (await waiting(anvil)).find((one) => one.hash === hash) ?? null
    },
    eth_getTransactionReceipt: (hash) => chain.receipt(`${hash}`)?.receipt ?? null,
    eth_getTransactionByBlockHashAndIndex: (hash, index) => inBlock(chain.byHash(`${hash}`), index),
    async eth_getTransactionByBlockNumberAndIndex(selector, index) {
      if (selector === 'pending') return (await waiting(anvil))[Number(index)] ?? null
      return inBlock(blockOf(`${selector}`), index)
    },
  }
}

function ofState(anvil: RpcCall, chain: Chain): Served {
  const { account, code, run } = createState(anvil, chain)
  return {
    eth_getBalance: (address, block = 'latest') => account('eth_getBalance', [address, block]),
    eth_getTransactionCount: (...params) => account('eth_getTransactionCount', params),
    eth_getStorageAt: (...params) => account('eth_getStorageAt', params),
    eth_getCode: code,
    eth_call: (call, block) => run('eth_call', call, block),
    eth_estimateGas: (call, block = 'latest') => run('eth_estimateGas', call, block),
  }
}

function raw(chain: Chain): Served {
  return {
    rsk_getRawBlockHeaderByHash: (hash) => chain.byHash(`${hash}`)?.header ?? null,
    rsk_getRawBlockHeaderByNumber(selector) {
      // A header without the fields of mining, of the block that is worked on.
      if (selector === 'pending') return toRlp([chain.head().hash, ...Array<Hex>(16).fill('0x')])
      if (selector === 'latest') return chain.head().header
      return chain.at(selector === 'earliest' ? 0 : Number(selector))?.header ?? null
    },
    rsk_getRawTransactionReceiptByHash(hash) {
      const found = chain.receipt(`${hash}`)
      return found?.block.rawReceipts[found.index] ?? null
    },
    // From the leaf to the root; an unknown block was not foreseen (RskModuleImpl).
    rsk_getTransactionReceiptNodesByHash(blockHash, hash) {
      const block = chain.byHash(`${blockHash}`)
      if (block === undefined) throw internalFault()
      const index = block.receipts.findIndex((one) => one.transactionHash === hash)
      return index === -1 ? null : block.proofs.proof(index)
    },
  }
}

function ofTraces(anvil: RpcCall, chain: Chain, traced: ReturnType<typeof tracedBy>): Served {
  const { blockOf } = createState(anvil, chain)
  const traces = createTraces(chain, traced)
  return {
    trace_block(selector) {
      const block = blockOf(`${selector}`)
      return block === undefined ? null : traces.ofBlock(block)
    },
    trace_transaction: (hash) => traces.ofTransaction(`${hash}`),
    trace_filter: traces.filtered,
  }
}

function printed(block: Block | undefined, full: unknown) {
  if (block === undefined) return null
  const { transactions } = block.printed
  return {
    ...block.printed,
    transactions: full === true ? transactions : transactions.map(({ hash }) => hash),
  }
}

/** What anvil has in its pool, its own order kept. */
async function waiting(anvil: RpcCall): Promise<Transaction[]> {
  const block = (await anvil('eth_getBlockByNumber', ['pending', true])) as {
    transactions: (Transaction & Record<string, unknown>)[]
  }
  return block.transactions.map(transactionOf)
}

/** Makes the block that the miner works on, with all that waits (recorded). */
async function pendingBlock(anvil: RpcCall, chain: Chain, full: boolean) {
  const { number, hash, printed: latest } = chain.head()
  const own = await waiting(anvil)
  const mining = keccak256(hash)
  const last = {
    ...remascTransaction(number + 1, own.length),
    blockHash: mining,
    blockNumber: numberToHex(number + 1),
  }
  const transactions = [...own, last]
  return {
    ...latest,
    number: null,
    hash: null,
    parentHash: hash,
    logsBloom: null,
    miner: null,
    totalDifficulty: '0x0',
    extraData: '0x',
    gasUsed: '0x0',
    transactions: full ? transactions : transactions.map((one) => one.hash),
    bitcoinMergedMiningHeader: '0x',
    bitcoinMergedMiningCoinbaseTransaction: '0x',
    bitcoinMergedMiningMerkleProof: '0x',
    hashForMergedMining: mining,
    paidFees: '0x0',
  }
}
