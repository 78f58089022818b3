import type { Address, Hex } from 'viem'
import { RpcError } from '../../../src/chain/rpc.ts'
import { isObject, quantity } from './answers.ts'
import { addToPool, headNumber, type RootstockNode } from './node.ts'
import { decodeTransaction, type SignedTransaction } from './transaction.ts'

export type MinedBlock = { number: number; hash: Hex; transactions: Hex[] }

export type Reorganization = {
  /** How many blocks from the head on are taken away. */
  depth: number
  /** Empty blocks in their place; one more than were taken unless told otherwise. */
  blocks?: number
  /** RSKj takes what the blocks held back into its pool; another node may never have seen it. */
  transactions: 'returned' | 'dropped'
}

/** Makes blocks of what waits in the pool, and takes them away again. */
export type Miner = {
  /** One block, of what may be mined now. */
  mine(): Promise<MinedBlock>
  reorganize(reorganization: Reorganization): Promise<void>
}

export function createMiner(node: RootstockNode): Miner {
  const { anvil, chainId, pool, now } = node
  /** Bytes of what was mined, for the blocks that are taken away again. */
  const mined = new Map<Hex, SignedTransaction>()

  return {
    async mine() {
      pool.evict(await headNumber(anvil), now())
      await setBasePrice(node)
      const handed = await hand(node, pool.minable(await stateNonces(node)))
      await anvil('anvil_mine', [quantity(1)])
      const block = await latestBlock(node)
      for (const hash of block.transactions) pool.remove(hash)
      for (const transaction of handed) {
        if (block.transactions.includes(transaction.hash)) mined.set(transaction.hash, transaction)
        // The block was full: it goes on waiting here, and not in two places.
        else await anvil('anvil_dropTransaction', [transaction.hash])
      }
      return block
    },

    async reorganize({ depth, blocks = depth + 1, transactions }) {
      const removed = await transactionsOfLast(depth)
      await anvil('anvil_rollback', [depth])
      for (let count = 0; count < blocks; count += 1) {
        await setBasePrice(node)
        await anvil('anvil_mine', [quantity(1)])
      }
      if (transactions === 'dropped') return
      for (const transaction of removed) await addToPool(node, transaction)
    },
  }

  async function transactionsOfLast(depth: number): Promise<SignedTransaction[]> {
    const head = await headNumber(anvil)
    const transactions: SignedTransaction[] = []
    for (let number = head - depth + 1; number <= head; number += 1) {
      const block = await anvil('eth_getBlockByNumber', [quantity(number), false])
      if (!isObject(block)) throw new Error(`there is no block ${number} to take away`)
      for (const hash of block.transactions as Hex[]) {
        transactions.push(mined.get(hash) ?? (await bytesOf(hash)))
      }
    }
    return transactions
  }

  async function bytesOf(hash: Hex): Promise<SignedTransaction> {
    return decodeTransaction(await anvil('eth_getRawTransactionByHash', [hash]), chainId)
  }
}

/** BASEFEE gives the minimum gas price on Rootstock. */
export function setBasePrice({ anvil, rules }: RootstockNode): Promise<unknown> {
  return anvil('anvil_setNextBlockBaseFeePerGas', [quantity(rules.minGasPriceWei)])
}

/** Gives transactions to anvil for its next block. What it cannot take leaves the pool. */
async function hand(
  { anvil, pool }: RootstockNode,
  chosen: SignedTransaction[],
): Promise<SignedTransaction[]> {
  const handed: SignedTransaction[] = []
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

async function stateNonces({ anvil, pool }: RootstockNode): Promise<Map<Address, number>> {
  const accounts = [...new Set(pool.pending().map(({ from }) => from))]
  const counts = await Promise.all(
    accounts.map((account) => anvil('eth_getTransactionCount', [account, 'latest'])),
  )
  return new Map(accounts.map((account, index) => [account, Number(counts[index])]))
}

async function latestBlock({ anvil }: RootstockNode): Promise<MinedBlock> {
  const block = await anvil('eth_getBlockByNumber', ['latest', false])
  if (!isObject(block)) throw new Error('anvil has no latest block')
  return {
    number: Number(block.number),
    hash: block.hash as Hex,
    transactions: block.transactions as Hex[],
  }
}
