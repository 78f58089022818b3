import { TransportError } from '../../chain/rpc.ts'
import type { MinedBlock } from '../objects/block.ts'
import { proveHeader } from '../objects/header.ts'
import {
  type ChainLog,
  type LogFilter,
  matchesFilter,
  mayContainLogs,
  rawLogs,
  toLogQuery,
} from '../objects/log.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { type ProvedBlock, readProvedBlock } from './mined-block.ts'
import { readProvedReceipts } from './receipts.ts'

/** Reads a block's logs, proved by its bloom or receipts if possible; `null` without the block. */
export async function readBlockLogs(
  node: UpstreamNode,
  selector: string,
  filter: LogFilter,
): Promise<ChainLog[] | null> {
  const provedBlock = await readProvedBlock(node, selector, false)
  return provedBlock && (await readLogsOf(node, provedBlock, filter))
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

/** Reads all logs of a block that was read from this node or from another one. */
export async function readProvedLogs(node: UpstreamNode, block: MinedBlock): Promise<ChainLog[]> {
  const proof = proveHeader(block, node.mining)
  if (proof === undefined) return await readKnownBlockLogs(node, block.hash, {})
  return await readLogsOf(node, { block, proof }, {})
}

/** Takes a proved block's logs from its receipts; those of another are as the node returns them. */
async function readLogsOf(
  node: UpstreamNode,
  { block, proof }: ProvedBlock,
  filter: LogFilter,
): Promise<ChainLog[]> {
  if (proof === undefined) {
    const query = toLogQuery(filter, { blockHash: block.hash })
    const nodeLogs = await node.call('eth_getLogs', [query], rawLogs)
    return nodeLogs.filter((log) => matchesFilter(filter, log))
  }
  const { logsBloom } = block
  if (logsBloom && (Number(logsBloom) === 0 || !mayContainLogs(logsBloom, filter))) return []
  const { receipts } = await readProvedReceipts(node, block, proof.trieKind)
  return receipts.flatMap(({ logs }) => logs).filter((log) => matchesFilter(filter, log))
}
