import { TransportError } from '../../chain/rpc.ts'
import { UntrueAnswer } from '../objects/bad-answers.ts'
import type { MinedBlock } from '../objects/block.ts'
import { type ChainLog, contentOf, logs, shapeLog } from '../objects/log.ts'
import { type LogFilter, logQuery, matches, mayHold } from '../objects/log-filter.ts'
import { verifiedTrie } from '../objects/receipts-trie.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { minedBlock } from './mined-block.ts'
import { receiptsOf } from './receipts.ts'

/** Gives one block's logs, on Ethereum proved by bloom or receipts; `null` without a block. */
export async function logsOfBlock(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[] | null> {
  const byHash = selector.length === 66
  const where = byHash ? { blockHash: selector } : { fromBlock: selector, toBlock: selector }
  const [block, answer] = await Promise.allSettled([
    minedBlock(node, selector, false),
    node.call('eth_getLogs', [logQuery(filter, where)], logs),
  ])
  if (block.status === 'rejected') throw block.reason
  if (block.value === null) return null
  if (answer.status === 'rejected') throw answer.reason
  const found = answer.value.map(shapeLog)
  if (node.profile === 'rskj' || (await fits(node, block.value, found, filter))) {
    return found.filter((one) => matches(filter, one))
  }
  if (byHash) throw new UntrueAnswer("logs do not fit their block's receipts")
  // A block may have come, or gone, between the two answers.
  return await logsOfBlock(node, block.value.hash, filter)
}

/** Gives the logs of a known block; a node that lacks it fails, for it tells nothing of them. */
export async function logsOfKnownBlock(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[]> {
  const found = await logsOfBlock(node, selector, filter)
  if (found === null) throw new TransportError(`${node.name} lacks a block that is known`)
  return found
}

async function fits(
  node: UpstreamNode,
  block: MinedBlock,
  found: readonly ChainLog[],
  filter: LogFilter,
): Promise<boolean> {
  if (!found.every(({ blockHash }) => blockHash === block.hash)) return false
  if (found.length === 0 && block.logsBloom && !mayHold(block.logsBloom, filter)) return true
  const receipts = await receiptsOf(node, block)
  verifiedTrie(receipts, block.receiptsRoot)
  const all = receipts.flatMap((receipt) => receipt.logs)
  const told = new Set(found.map(contentOf))
  const known = new Set(all.map(contentOf))
  return (
    all.every((one) => !matches(filter, one) || told.has(contentOf(one))) &&
    found.every((one) => known.has(contentOf(one)))
  )
}

/** The logs of a block as its receipts have them, where those can be proved; else as it tells. */
export async function provedLogs(node: UpstreamNode, block: MinedBlock): Promise<ChainLog[]> {
  if (node.profile === 'rskj') return await logsOfKnownBlock(node, block.hash, {})
  const receipts = await receiptsOf(node, block)
  verifiedTrie(receipts, block.receiptsRoot)
  return receipts.flatMap((receipt) => receipt.logs.map(shapeLog))
}
