import { TransportError } from '../../chain/rpc.ts'
import { UntrueAnswer } from '../objects/bad-answers.ts'
import type { MinedBlock } from '../objects/block.ts'
import { proveHeader } from '../objects/header.ts'
import { type ChainLog, logs, shapeLog, toContentKey } from '../objects/log.ts'
import { type LogFilter, matches, mayContain, toLogQuery } from '../objects/log-filter.ts'
import { encodeReceipts } from '../objects/receipts-trie.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { type ProvedBlock, readProvedBlock } from './mined-block.ts'
import { readReceipts } from './receipts.ts'

/** Reads a block's logs, proved by bloom or receipts if its header is; `null` without a block. */
export async function readBlockLogs(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[] | null> {
  const byHash = selector.length === 66
  const where = byHash ? { blockHash: selector } : { fromBlock: selector, toBlock: selector }
  const [block, answer] = await Promise.allSettled([
    readProvedBlock(node, selector, false),
    node.call('eth_getLogs', [toLogQuery(filter, where)], logs),
  ])
  if (block.status === 'rejected') throw block.reason
  if (block.value === null) return null
  if (answer.status === 'rejected') throw answer.reason
  const found = answer.value.map(shapeLog)
  if (await fits(node, block.value, found, filter)) {
    return found.filter((one) => matches(filter, one))
  }
  if (byHash) throw new UntrueAnswer("logs do not fit their block's receipts")
  // The block may have changed between the two answers.
  return await readBlockLogs(node, block.value.block.hash, filter)
}

/** Reads a known block's logs; throws if the node lacks the block. */
export async function readKnownBlockLogs(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[]> {
  const found = await readBlockLogs(node, selector, filter)
  if (found === null) throw new TransportError(`${node.name} lacks a block that is known`)
  return found
}

async function fits(
  node: UpstreamNode,
  { block, proof }: ProvedBlock,
  found: readonly ChainLog[],
  filter: LogFilter,
): Promise<boolean> {
  if (proof === undefined) return true
  if (!found.every(({ blockHash }) => blockHash === block.hash)) return false
  if (found.length === 0 && block.logsBloom && !mayContain(block.logsBloom, filter)) return true
  const receipts = await readReceipts(node, block)
  encodeReceipts(receipts, block.receiptsRoot, proof.tries)
  const all = receipts.flatMap((receipt) => receipt.logs)
  const told = new Set(found.map(toContentKey))
  const known = new Set(all.map(toContentKey))
  return (
    all.every((one) => !matches(filter, one) || told.has(toContentKey(one))) &&
    found.every((one) => known.has(toContentKey(one)))
  )
}

/** Reads a block's logs from its proved receipts, or unproved if its header is not proved. */
export async function readProvedLogs(node: UpstreamNode, block: MinedBlock): Promise<ChainLog[]> {
  const proof = proveHeader(block, node.mining)
  if (proof === undefined) return await readKnownBlockLogs(node, block.hash, {})
  if (block.logsBloom && Number(block.logsBloom) === 0) return []
  const receipts = await readReceipts(node, block)
  encodeReceipts(receipts, block.receiptsRoot, proof.tries)
  return receipts.flatMap((receipt) => receipt.logs.map(shapeLog))
}
