import { type Hex, toHex } from 'viem'
import { RpcError } from '../../../src/chain/rpc.ts'
import { isObject } from '../../../src/runtime/json.ts'
import { addToPool, chainId, headNumber, type RootstockNode } from './node.ts'
import { decodeTransaction, type SignedTransaction } from './transaction.ts'

export type MinedBlock = { number: number; hash: Hex; transactions: Hex[] }

export type Reorganization = {
  depth: number
  /** Number of empty blocks that replace them; by default one more than were removed. */
  blocks?: number
  /** Returns the removed transactions to the pool as RSKj does; other nodes may lack them. */
  transactions: 'returned' | 'dropped'
}

export async function mine(node: RootstockNode): Promise<MinedBlock> {
  const { anvil, pool, now } = node
  pool.evict(await headNumber(anvil), now())
  await setBasePrice(node)
  const handed = await hand(node, await minable(node))
  await anvil('anvil_mine', [toHex(1)])
  const block = await blockAt(node, 'latest')
  for (const hash of block.transactions) pool.remove(hash)
  for (const { hash } of handed) {
    // The block was full, so the transaction waits here alone.
    if (!block.transactions.includes(hash)) await anvil('anvil_dropTransaction', [hash])
  }
  return block
}

export async function reorganize(
  node: RootstockNode,
  { depth, blocks = depth + 1, transactions }: Reorganization,
): Promise<void> {
  const { anvil } = node
  const head = await headNumber(anvil)
  const removed: SignedTransaction[] = []
  for (let number = head - depth + 1; number <= head; number += 1) {
    for (const hash of (await blockAt(node, toHex(number))).transactions) {
      const raw = await anvil('eth_getRawTransactionByHash', [hash])
      removed.push(await decodeTransaction(raw, chainId))
    }
  }
  await anvil('anvil_rollback', [depth])
  for (let count = 0; count < blocks; count += 1) {
    await setBasePrice(node)
    await anvil('anvil_mine', [toHex(1)])
  }
  if (transactions === 'dropped') return
  for (const transaction of removed) await addToPool(node, transaction)
}

/** BASEFEE gives the minimum gas price on Rootstock. */
export function setBasePrice({ anvil, rules }: RootstockNode): Promise<unknown> {
  return anvil('anvil_setNextBlockBaseFeePerGas', [toHex(rules.minGasPriceWei)])
}

/** Selects transactions by nonces and the minimum price, dearest first (RSKj's PendingState). */
async function minable({ anvil, pool, rules }: RootstockNode): Promise<SignedTransaction[]> {
  const accounts = [...new Set(pool.pending().map(({ from }) => from))]
  const senders = await Promise.all(
    accounts.map(async (account) => {
      const count = await anvil('eth_getTransactionCount', [account, 'latest'])
      const own = pool.of(account).minable(Number(count))
      const cheap = own.findIndex(({ gasPriceWei }) => gasPriceWei < rules.minGasPriceWei)
      return cheap < 0 ? own : own.slice(0, cheap)
    }),
  )
  const merged: SignedTransaction[] = []
  for (;;) {
    const [best] = senders
      .filter(({ length }) => length > 0)
      .sort(([a], [b]) => Number((b?.gasPriceWei ?? 0n) - (a?.gasPriceWei ?? 0n)))
    const next = best?.shift()
    if (next === undefined) return merged
    merged.push(next)
  }
}

/** Gives transactions to anvil for its next block, and drops those that anvil refuses. */
async function hand({ anvil, pool }: RootstockNode, chosen: SignedTransaction[]) {
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

async function blockAt({ anvil }: RootstockNode, tag: string): Promise<MinedBlock> {
  const block = await anvil('eth_getBlockByNumber', [tag, false])
  if (!isObject(block)) throw new Error(`anvil has no block ${tag}`)
  const { number, hash, transactions } = block
  return { number: Number(number), hash: hash as Hex, transactions: transactions as Hex[] }
}
