import type { RpcCall } from '../rpc.ts'
import type { Pool } from './pool.ts'
import type { PoolRefusal } from './refusals.ts'
import type { RootstockRules } from './rules.ts'
import type { SignedTransaction } from './transaction.ts'

export type RootstockNode = {
  anvil: RpcCall
  rules: RootstockRules
  pool: Pool
  now: () => number
  /** Runs calls one after the other, because RSKj's pool is synchronized. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export const chainId = 31

/** Adds a transaction to the pool, with the sender's state and the time. */
export async function addToPool(
  { anvil, pool, now, rules }: RootstockNode,
  transaction: SignedTransaction,
): Promise<PoolRefusal | undefined> {
  const { from } = transaction
  const [count, balance, head] = await Promise.all([
    anvil('eth_getTransactionCount', [from, 'latest']),
    anvil('eth_getBalance', [from, 'latest']),
    headNumber(anvil),
  ])
  pool.evict(head, now())
  return pool.of(from).add(transaction, {
    stateNonce: Number(count),
    balanceWei: BigInt(String(balance)),
    minGasPriceWei: rules.minGasPriceWei,
    head,
    nowMs: now(),
  })
}

export async function headNumber(anvil: RpcCall): Promise<number> {
  return Number(await anvil('eth_blockNumber'))
}
