import type { Address, Hex } from 'viem'
import { tryOrLog } from '../../runtime/log.ts'
import type { Relayer } from '../relayer.ts'

/** Limits the age of the final block: sums that reach back from it have to be known. */
export const maxFinalAgeMs = 60 * 60 * 1000

/** Returns what only payments of the ledger can take out of an account, as of a block. */
export async function readSettled(
  { node, readSettled: read }: Relayer,
  account: Address,
  blockHash: Hex,
  signal: AbortSignal,
): Promise<bigint> {
  const [actions, settledWei = 0n] = await Promise.all([
    node.getTransactionCount(account, signal),
    read?.(account, blockHash),
  ])
  // The account's own key has acted, and may again.
  return actions > 0 ? 0n : settledWei
}

/** Returns the same of the block that is final now; undefined if the node does not tell. */
export async function readSettledBalance(relayer: Relayer, account: Address, signal: AbortSignal) {
  const { node, rules, clock, log } = relayer
  return await tryOrLog(log, { level: 'warn', event: 'settled.unread' }, async () => {
    const head = await node.getHead(signal)
    const number = Math.max(0, head.number - rules.confirmations + 1)
    const block = await node.getBlock(number, signal)
    const oldestSeconds = (clock.now() - maxFinalAgeMs) / 1_000
    if (block === undefined || block.timestampSeconds < oldestSeconds) return undefined
    const wei = await readSettled(relayer, account, block.hash, signal)
    return { block: block.number, wei }
  })
}
