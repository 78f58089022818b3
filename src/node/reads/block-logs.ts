import { TransportError } from '../../chain/rpc.ts'
import { UntrueAnswer } from '../objects/bad-answers.ts'
import type { MinedBlock } from '../objects/block.ts'
import { proveHeader } from '../objects/header.ts'
import { type ChainLog, rawLogs, toContentKey } from '../objects/log.ts'
import { type LogFilter, matchesFilter, mayContainLogs, toLogQuery } from '../objects/log-filter.ts'
import { isBlockHash } from '../objects/values.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { type ProvedBlock, readProvedBlock } from './mined-block.ts'
import { readProvedReceipts } from './receipts.ts'

/** Reads a block's logs, proved by its bloom or receipts if possible; `null` without the block. */
export async function readBlockLogs(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[] | null> {
  const isByHash = isBlockHash(selector)
  const blocks = isByHash ? { blockHash: selector } : { fromBlock: selector, toBlock: selector }
  const [block, logsResult] = await Promise.allSettled([
    readProvedBlock(node, selector, false),
    node.call('eth_getLogs', [toLogQuery(filter, blocks)], rawLogs),
  ])
  if (block.status === 'rejected') throw block.reason
  if (block.value === null) return null
  if (logsResult.status === 'rejected') throw logsResult.reason
  const answeredLogs = logsResult.value
  if (await areLogsConsistent(node, block.value, answeredLogs, filter)) {
    return answeredLogs.filter((log) => matchesFilter(filter, log))
  }
  if (isByHash) throw new UntrueAnswer("logs do not fit their block's receipts")
  // The block may have changed between the two answers.
  return await readBlockLogs(node, block.value.block.hash, filter)
}

/** Reads a known block's logs; throws if the node lacks the block. */
export async function readKnownBlockLogs(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[]> {
  const blockLogs = await readBlockLogs(node, selector, filter)
  if (blockLogs === null) throw new TransportError(`${node.name} lacks a block that is known`)
  return blockLogs
}

/** Tells whether logs fit the bloom or the receipts that prove them, if the block has a proof. */
async function areLogsConsistent(
  node: UpstreamNode,
  { block, proof }: ProvedBlock,
  answeredLogs: readonly ChainLog[],
  filter: LogFilter,
): Promise<boolean> {
  if (proof === undefined) return true
  if (!answeredLogs.every(({ blockHash }) => blockHash === block.hash)) return false
  if (answeredLogs.length === 0 && block.logsBloom && !mayContainLogs(block.logsBloom, filter))
    return true
  const { receipts } = await readProvedReceipts(node, block, proof.trieKind)
  const receiptLogs = receipts.flatMap((receipt) => receipt.logs)
  const answeredKeys = new Set(answeredLogs.map(toContentKey))
  const receiptKeys = new Set(receiptLogs.map(toContentKey))
  return (
    receiptLogs.every(
      (log) => !matchesFilter(filter, log) || answeredKeys.has(toContentKey(log)),
    ) && answeredLogs.every((log) => receiptKeys.has(toContentKey(log)))
  )
}

/** Reads a block's logs from its proved receipts, or unproved if its header is not proved. */
export async function readProvedLogs(node: UpstreamNode, block: MinedBlock): Promise<ChainLog[]> {
  const proof = proveHeader(block, node.mining)
  if (proof === undefined) return await readKnownBlockLogs(node, block.hash, {})
  if (block.logsBloom && Number(block.logsBloom) === 0) return []
  const { receipts } = await readProvedReceipts(node, block, proof.trieKind)
  return receipts.flatMap((receipt) => receipt.logs)
}
