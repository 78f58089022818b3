import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { logs, shapeLog } from '../objects/log.ts'
import { logFilterParam, toLogQuery } from '../objects/log-filter.ts'
import { toBlockNumber, toQuantity } from '../objects/values.ts'
import { readBlockLogs } from '../reads/block-logs.ts'
import { type LogRange, maxLogBlocks, readRangeLogs } from '../reads/logs.ts'
import { readHeight } from '../upstream/node.ts'
import { exampleBlock, exampleLogs } from './examples.ts'
import { type Context, method } from './method.ts'

/** Gives logs oldest first; those of the latest block, if no block is named. */
export const ethGetLogs = method({
  name: 'eth_getLogs',
  summary: 'The logs that match a filter',
  params: { filter: logFilterParam },
  result: logs,
  example: { params: [{ blockHash: exampleBlock.hash }], result: exampleLogs },
  isFixed: ({ filter }) => Boolean(filter.blockHash),
  async call({ filter }, context) {
    const { blockHash, fromBlock, toBlock } = filter
    if (blockHash || !(fromBlock || toBlock)) {
      const found = await context.ask((node) => readBlockLogs(node, blockHash ?? 'latest', filter))
      // EIP-234: a block that is not known is not the same as one without logs.
      if (found === null) throw new RpcError(codes.failed, 'unknown block')
      return found
    }
    if (fromBlock === 'pending') {
      const where = { fromBlock, toBlock: fromBlock }
      return await context.ask(async (node) =>
        (await node.call('eth_getLogs', [toLogQuery(filter, where)], logs)).map(shapeLog),
      )
    }
    const range = await findRange(fromBlock, toBlock, context)
    if (range.from > range.to) return []
    if (range.from < range.to || range.open) return await readRangeLogs(range, filter, context)
    const only = toQuantity(range.to)
    return (await context.ask((node) => readBlockLogs(node, only, filter))) ?? []
  },
})

/** Returns the blocks to search; what is beyond the head is left to the node. */
async function findRange(fromBlock: Named, toBlock: Named, context: Context): Promise<LogRange> {
  const open = !isNumber(toBlock)
  const head = [fromBlock, toBlock].every(isNumber) ? 0 : await context.head()
  const from = toBlockNumber(fromBlock, head)
  const to = toBlockNumber(toBlock, head)
  if (open) return { from, to: Math.max(from, to), open }
  if (to - from <= maxLogBlocks) return { from, to, open }
  // Ends at the head, read anew: beyond it, the pieces would have no end.
  const height = Math.max(await context.ask(readHeight), context.knownHead() ?? 0)
  return { from, to: Math.min(to, height), open }
}

type Named = string | null | undefined

function isNumber(block: Named): block is string {
  return block === 'earliest' || (block?.startsWith('0x') ?? false)
}
