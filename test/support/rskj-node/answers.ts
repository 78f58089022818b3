import { type Hex, keccak256, numberToHex, toRlp } from 'viem'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import type { Block, Chain, Transaction } from './chain.ts'
import { remascTransaction, transactionOf } from './chain.ts'
import { logsOf } from './logs.ts'
import { sendRaw } from './pool.ts'
import { refusals, regtest } from './quirks.ts'
import { createState } from './state.ts'
import { createTraces, tracedBy } from './traces.ts'

type Params = readonly unknown[]
/** How many parameters a method takes, and its answer. */
type Served = { least: number; most: number; answer: (...params: Params) => unknown }

/** The methods of RSKj that the service asks for, and those that its own specification names. */
export function createAnswers(anvil: RpcCall, chain: Chain, traced = tracedBy(anvil)) {
  const methods: Readonly<Record<string, Served>> = {
    ...fixed(),
    ...ofBlocks(anvil, chain),
    ...ofTransactions(anvil, chain),
    ...ofState(anvil, chain),
    ...raw(chain),
    ...ofTraces(anvil, chain, traced),
  }

  /** @throws {RpcError} a refusal of RSKj's */
  return async (method: string, params: Params): Promise<unknown> => {
    const served = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (served === undefined) throw refusals.noMethod()
    if (params.length < served.least || params.length > served.most) throw refusals.parameterCount()
    await chain.follow()
    return await served.answer(...params)
  }
}

function takes(least: number, most: number, answer: Served['answer']): Served {
  return { least, most, answer }
}

function fixed(): Record<string, Served> {
  return {
    web3_clientVersion: takes(0, 0, () => regtest.clientVersion),
    web3_sha3: takes(1, 1, (data) => keccak256(`${data}` as Hex)),
    net_version: takes(0, 0, () => `${regtest.chainId}`),
    eth_chainId: takes(0, 0, () => numberToHex(regtest.chainId)),
    eth_protocolVersion: takes(0, 0, () => regtest.protocolVersion),
    rsk_protocolVersion: takes(0, 0, () => regtest.protocolVersion),
    eth_gasPrice: takes(0, 0, () => regtest.gasPrice),
    eth_syncing: takes(0, 0, () => false),
    eth_accounts: takes(0, 0, () => []),
  }
}

function ofBlocks(anvil: RpcCall, chain: Chain): Record<string, Served> {
  const { blockOf } = createState(anvil, chain)
  const counted = (selector: unknown): Block => {
    const block = blockOf(`${selector}`)
    if (block === undefined) throw refusals.noBlock(`${selector}`)
    return block
  }
  return {
    eth_blockNumber: takes(0, 0, () => numberToHex(chain.head().number)),
    eth_getBlockByNumber: takes(2, 2, (selector, full) => {
      if (selector === 'pending') return pendingBlock(anvil, chain, full === true)
      return printed(blockOf(`${selector}`), full)
    }),
    eth_getBlockByHash: takes(2, 2, (hash, full) => {
      return printed(chain.byHash(hash32(hash, 'block hash')), full)
    }),
    eth_getBlockTransactionCountByNumber: takes(1, 1, async (selector) => {
      if (selector === 'pending') return numberToHex((await waiting(anvil)).length)
      return numberToHex(counted(selector).printed.transactions.length)
    }),
    eth_getBlockTransactionCountByHash: takes(1, 1, (hash) => {
      const block = chain.byHash(hash32(hash, 'block hash'))
      return block === undefined ? null : numberToHex(block.printed.transactions.length)
    }),
    eth_getUncleCountByBlockNumber: takes(1, 1, (selector) => {
      if (selector !== 'pending') counted(selector)
      return '0x0'
    }),
    eth_getUncleCountByBlockHash: takes(1, 1, (hash) => {
      const wanted = hash32(hash, 'block hash')
      if (chain.byHash(wanted) === undefined) throw refusals.noBlockOfHash(wanted.slice(2))
      return '0x0'
    }),
    eth_getLogs: takes(1, 1, (filter) => logsOf(chain, filter)),
  }
}

function ofTransactions(anvil: RpcCall, chain: Chain): Record<string, Served> {
  const { blockOf } = createState(anvil, chain)
  const inBlock = (block: Block | undefined, index: unknown) =>
    block?.printed.transactions[Number(index)] ?? null
  return {
    eth_sendRawTransaction: takes(1, 1, (raw) => sendRaw(anvil, raw)),
    // Hashes are the same in both: PendingTransactionFilter tells what enters the pool.
    eth_newPendingTransactionFilter: takes(0, 0, () => {
      return anvil('eth_newPendingTransactionFilter')
    }),
    eth_getFilterChanges: takes(1, 1, (id) => anvil('eth_getFilterChanges', [id])),
    eth_getTransactionByHash: takes(1, 1, async (hash) => {
      const wanted = hash32(hash, 'transaction hash')
      const found = chain.receipt(wanted)
      if (found !== undefined) return inBlock(found.block, found.index)
      return (await waiting(anvil)).find((one) => one.hash === wanted) ?? null
    }),
    eth_getTransactionReceipt: takes(1, 1, (hash) => {
      return chain.receipt(hash32(hash, 'transaction hash'))?.receipt ?? null
    }),
    eth_getTransactionByBlockHashAndIndex: takes(2, 2, (hash, index) => {
      return inBlock(chain.byHash(hash32(hash, 'block hash')), index)
    }),
    eth_getTransactionByBlockNumberAndIndex: takes(2, 2, async (selector, index) => {
      if (selector === 'pending') return (await waiting(anvil))[Number(index)] ?? null
      return inBlock(blockOf(`${selector}`), index)
    }),
  }
}

function ofState(anvil: RpcCall, chain: Chain): Record<string, Served> {
  const state = createState(anvil, chain)
  const account = (method: string, least: number, most: number): Served =>
    takes(least, most, (...params) => state.account(method, params))
  return {
    eth_getBalance: takes(1, 2, (address, block = 'latest') => {
      return state.account('eth_getBalance', [address, block])
    }),
    eth_getTransactionCount: account('eth_getTransactionCount', 2, 2),
    eth_getStorageAt: account('eth_getStorageAt', 3, 3),
    eth_getCode: takes(2, 2, (address, block) => state.code(address, block)),
    eth_call: takes(2, 3, (call, block) => state.run('eth_call', call, block)),
    eth_estimateGas: takes(1, 2, (call, block = 'latest') => {
      return state.run('eth_estimateGas', call, block)
    }),
  }
}

function raw(chain: Chain): Record<string, Served> {
  const header = (selector: unknown): Block | undefined => {
    if (selector === 'latest') return chain.head()
    if (selector === 'earliest') return chain.at(0)
    return chain.at(Number(selector))
  }
  return {
    rsk_getRawBlockHeaderByHash: takes(1, 1, (hash) => chain.byHash(`${hash}`)?.header ?? null),
    rsk_getRawBlockHeaderByNumber: takes(1, 1, (selector) => {
      // A header without the fields of mining, of the block that is worked on.
      if (selector === 'pending') return toRlp([chain.head().hash, ...Array<Hex>(16).fill('0x')])
      return header(selector)?.header ?? null
    }),
    rsk_getRawTransactionReceiptByHash: takes(1, 1, (hash) => {
      const found = chain.receipt(`${hash}`)
      return found?.block.rawReceipts[found.index] ?? null
    }),
    // From the leaf to the root; an unknown block was not foreseen (RskModuleImpl).
    rsk_getTransactionReceiptNodesByHash: takes(2, 2, (blockHash, hash) => {
      const block = chain.byHash(`${blockHash}`)
      if (block === undefined) throw refusals.fault()
      const index = block.receipts.findIndex((one) => one.transactionHash === hash)
      return index === -1 ? null : block.proofs.proof(index)
    }),
  }
}

function ofTraces(
  anvil: RpcCall,
  chain: Chain,
  traced: ReturnType<typeof tracedBy>,
): Record<string, Served> {
  const { blockOf } = createState(anvil, chain)
  const traces = createTraces(chain, traced)
  return {
    trace_block: takes(1, 1, (selector) => {
      const block = blockOf(`${selector}`)
      return block === undefined ? null : traces.ofBlock(block)
    }),
    trace_transaction: takes(1, 1, (hash) => traces.ofTransaction(`${hash}`)),
    trace_filter: takes(1, 1, (filter) => traces.filtered(filter)),
  }
}

function hash32(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value)) throw refusals.hashLength(what)
  return value.toLowerCase() as Hex
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

/**
 * The block that the miner works on: without number, hash and bloom, mined by nobody, with all that
 * waits and REMASC's transaction, which already says where it will be (recorded).
 */
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
