import type { Address, Hex } from 'viem'
import { RpcError } from '../../../src/chain/rpc.ts'
import { rpcTo } from '../rpc.ts'
import { asRskj, asRskjError, isObject, pendingTransaction, quantity } from './answers.ts'
import { createPool, type Pool } from './pool.ts'
import { type RootstockRules, rootstockRules } from './rules.ts'
import { serveJsonRpc } from './server.ts'
import { decodeTransaction, InvalidTransactionError, type PoolTransaction } from './transaction.ts'

/** A Rootstock node as far as senders can tell, in front of an anvil that does the executing. */
export type RootstockPool = {
  /** Where it is served, as JSON-RPC over HTTP. */
  url: string
  /** Makes this many blocks now, each of what may be mined then. */
  mine(blocks?: number): Promise<MinedBlock[]>
  pool: Pick<Pool, 'pending' | 'queued' | 'find'>
  /** Empties the pool, as a restarted node's is. Gives the hashes. */
  evictAll(): Promise<Hex[]>
  /** Takes one transaction out of the pool. False where it is not there. */
  drop(hash: Hex): Promise<boolean>
  /** Takes blocks away and puts others in their place. */
  reorg(reorganization: Reorganization): Promise<void>
  /** Stops and starts the blocks that come by themselves. */
  setBlockTime(blockMs: number | undefined): void
  /** Changes rules of the running pool: a minimum that rises, a quota that is spent. */
  setMinGasPrice(wei: bigint): void
  stop(): Promise<void>
}

export type MinedBlock = { number: number; hash: Hex; transactions: Hex[] }

export type Reorganization = {
  /** How many blocks from the head on are taken away. */
  depth: number
  /** Empty blocks in their place; one more than were taken unless told otherwise. */
  blocks?: number
  /** RSKj takes what the blocks held back into its pool; another node may never have seen it. */
  transactions: 'returned' | 'dropped'
}

export type RootstockPoolOptions = {
  /** An anvil of one's own: from here on only this pool makes its blocks. */
  anvilUrl: string
  chainId?: number
  rules?: Partial<RootstockRules>
  /** ms between blocks. Undefined: blocks are made by {@link RootstockPool.mine} alone. */
  blockMs?: number | undefined
  /** Whether `anvil_…` and `evm_…` are passed on, which no Rootstock node knows. */
  devMethods?: 'refused' | 'passed'
  port?: number
  now?: () => number
}

/** What RSKj serves; of the rest it says that there is no such method. */
const served = new Set([
  'eth_accounts',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_sendRawTransaction',
  'eth_syncing',
  'net_listening',
  'net_peerCount',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
])

const maxBatch = 50

/**
 * Starts the pool. anvil stops mining by itself and its blocks get Rootstock's gas limit; whatever
 * waits in anvil's own pool comes into the next block, as another node's transaction would.
 */
export async function startRootstockPool(options: RootstockPoolOptions): Promise<RootstockPool> {
  const { anvilUrl, chainId = 31, devMethods = 'refused', now = Date.now } = options
  const rules: RootstockRules = { ...rootstockRules, ...options.rules }
  const anvil = rpcTo(anvilUrl)
  const pool = createPool(rules)
  const inTurn = createTurns()
  /** Bytes of what was mined, for the blocks that are taken away again. */
  const mined = new Map<Hex, PoolTransaction>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  await anvil('evm_setAutomine', [false])
  await anvil('evm_setIntervalMining', [0])
  await anvil('evm_setBlockGasLimit', [quantity(rules.blockGas)])
  await setBasePrice()

  const server = await serveJsonRpc({ port: options.port ?? 0, maxBatch, answer })
  setBlockTime(options.blockMs)

  return {
    url: server.url,
    mine: (blocks = 1) => inTurn(() => mineMany(blocks)),
    pool,
    evictAll: () => inTurn(async () => pool.clear()),
    drop: (hash) => inTurn(async () => pool.remove(hash)),
    reorg: (reorganization) => inTurn(() => reorganize(reorganization)),
    setBlockTime,
    setMinGasPrice: (wei) => {
      rules.minGasPriceWei = wei
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await inTurn(async () => {})
      await server.stop()
    },
  }

  /** BASEFEE gives the minimum gas price on Rootstock. */
  function setBasePrice(): Promise<unknown> {
    return anvil('anvil_setNextBlockBaseFeePerGas', [quantity(rules.minGasPriceWei)])
  }

  function setBlockTime(blockMs: number | undefined): void {
    clearTimeout(timer)
    timer = undefined
    if (blockMs === undefined || stopped) return
    const own = setTimeout(() => {
      const next = () => {
        // Another block time, or none, may have been set while the block was made.
        if (timer === own) setBlockTime(blockMs)
      }
      // A block that fails does so because the chain was ended before this pool.
      inTurn(mineOne).then(next, () => undefined)
    }, blockMs)
    timer = own
  }

  async function answer(method: string, params: readonly unknown[]): Promise<unknown> {
    if (/^(anvil|evm|hardhat)_/.test(method) && devMethods === 'passed') {
      return anvil(method, params)
    }
    if (!served.has(method)) throw new RpcError(-32601, 'method not found')
    refuseUnknownTags(method, params)
    switch (method) {
      case 'eth_sendRawTransaction':
        return inTurn(() => send(params[0]))
      case 'eth_gasPrice':
        // A tenth over the minimum (GasPriceTracker).
        return quantity((rules.minGasPriceWei * 11n) / 10n)
      case 'eth_getTransactionByHash':
        return byHash(params)
      case 'eth_getTransactionCount':
        return transactionCount(params)
      case 'eth_call':
      case 'eth_estimateGas':
        if (params.length > 2) throw new RpcError(-32602, 'invalid argument 2: state overrides')
        return pass(method, params)
      default:
        return pass(method, params)
    }
  }

  async function pass(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return asRskj(method, await anvil(method, params), rules.minGasPriceWei)
    } catch (error) {
      throw error instanceof RpcError ? asRskjError(error) : error
    }
  }

  async function send(raw: unknown): Promise<Hex> {
    const transaction = await decode(raw)
    const added = await add(transaction)
    if (added.kind === 'refused') throw new RpcError(-32010, added.message)
    return transaction.hash
  }

  async function decode(raw: unknown): Promise<PoolTransaction> {
    try {
      return await decodeTransaction(raw, chainId)
    } catch (error) {
      if (!(error instanceof InvalidTransactionError)) throw error
      throw new RpcError(-32602, error.message)
    }
  }

  async function add(transaction: PoolTransaction) {
    const { from } = transaction
    const [count, balance, head] = await Promise.all([
      anvil('eth_getTransactionCount', [from, 'latest']),
      anvil('eth_getBalance', [from, 'latest']),
      headNumber(),
    ])
    pool.evict(head, now())
    return pool.add(transaction, {
      stateNonce: Number(count),
      balanceWei: BigInt(String(balance)),
      head,
      nowMs: now(),
    })
  }

  async function byHash(params: readonly unknown[]): Promise<unknown> {
    const found = await pass('eth_getTransactionByHash', params)
    if (found !== null) return found
    const waiting = pool.find(params[0] as Hex)
    return waiting?.state === 'pending' ? pendingTransaction(waiting.transaction) : null
  }

  async function transactionCount(params: readonly unknown[]): Promise<unknown> {
    if (params[1] !== 'pending') return pass('eth_getTransactionCount', params)
    const account = String(params[0]).toLowerCase()
    const count = Number(await anvil('eth_getTransactionCount', [account, 'latest']))
    const own = pool.pending().find(({ from }) => from.toLowerCase() === account)
    return quantity(own === undefined ? count : pool.nextNonce(own.from, count))
  }

  async function headNumber(): Promise<number> {
    return Number(await anvil('eth_blockNumber'))
  }

  async function mineMany(blocks: number): Promise<MinedBlock[]> {
    const made: MinedBlock[] = []
    for (let count = 0; count < blocks; count += 1) made.push(await mineOne())
    return made
  }

  async function mineOne(): Promise<MinedBlock> {
    pool.evict(await headNumber(), now())
    await setBasePrice()
    const handed = await hand(pool.minable(await stateNonces()))
    await anvil('anvil_mine', [quantity(1)])
    const block = await latestBlock()
    for (const hash of block.transactions) pool.remove(hash)
    for (const transaction of handed) {
      if (block.transactions.includes(transaction.hash)) mined.set(transaction.hash, transaction)
      // The block was full: it goes on waiting here, and not in two places.
      else await anvil('anvil_dropTransaction', [transaction.hash])
    }
    return block
  }

  /** Gives transactions to anvil for its next block. What it cannot take leaves the pool. */
  async function hand(chosen: PoolTransaction[]): Promise<PoolTransaction[]> {
    const handed: PoolTransaction[] = []
    for (const transaction of chosen) {
      try {
        await anvil('eth_sendRawTransaction', [transaction.raw])
        handed.push(transaction)
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        // As RSKj's miner does with what does not execute.
        pool.remove(transaction.hash)
      }
    }
    return handed
  }

  async function stateNonces(): Promise<Map<Address, number>> {
    const accounts = [...new Set(pool.pending().map(({ from }) => from))]
    const counts = await Promise.all(
      accounts.map((account) => anvil('eth_getTransactionCount', [account, 'latest'])),
    )
    return new Map(accounts.map((account, index) => [account, Number(counts[index])]))
  }

  async function latestBlock(): Promise<MinedBlock> {
    const block = await anvil('eth_getBlockByNumber', ['latest', false])
    if (!isObject(block)) throw new Error('anvil has no latest block')
    return {
      number: Number(block.number),
      hash: block.hash as Hex,
      transactions: block.transactions as Hex[],
    }
  }

  async function reorganize({
    depth,
    blocks = depth + 1,
    transactions,
  }: Reorganization): Promise<void> {
    const head = await headNumber()
    const removed: PoolTransaction[] = []
    for (let number = head - depth + 1; number <= head; number += 1) {
      const block = await anvil('eth_getBlockByNumber', [quantity(number), false])
      if (!isObject(block)) throw new Error(`there is no block ${number} to take away`)
      for (const hash of block.transactions as Hex[]) {
        removed.push(mined.get(hash) ?? (await bytesOf(hash)))
      }
    }
    await anvil('anvil_rollback', [depth])
    for (let count = 0; count < blocks; count += 1) {
      await setBasePrice()
      await anvil('anvil_mine', [quantity(1)])
    }
    if (transactions === 'dropped') return
    for (const transaction of removed) await add(transaction)
  }

  async function bytesOf(hash: Hex): Promise<PoolTransaction> {
    return decodeTransaction(await anvil('eth_getRawTransactionByHash', [hash]), chainId)
  }
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

/** One after the other, as RSKj's pool is synchronized. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
}
