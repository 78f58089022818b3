import { logFilterParam, logs, rawLogs, toLogQuery } from '../objects/log.ts'
import { toBlockNumber, toQuantity } from '../objects/values.ts'
import { createUnknownBlockError } from '../reads/at-block.ts'
import { type LogRange, maxLogBlocks, readRangeLogs } from '../reads/logs.ts'
import { readBlockLogs } from '../reads/receipts.ts'
import { readHeight } from '../upstream/node.ts'
import { type Context, defineMethod } from './method.ts'

/** Returns logs, the oldest first. Without a block, they are those of the latest one. */
export const ethGetLogs = defineMethod({
  name: 'eth_getLogs',
  summary: 'The logs that match a filter',
  params: { filter: logFilterParam },
  result: logs,
  isImmutable: ({ filter }) => Boolean(filter.blockHash),
  async call({ filter }, context) {
    const { blockHash, fromBlock, toBlock } = filter
    if (blockHash || !(fromBlock || toBlock)) {
      const answer = await context.ask((node) => readBlockLogs(node, blockHash ?? 'latest', filter))
      // EIP-234: a block that is not known is not the same as one without logs.
      if (answer === null) throw createUnknownBlockError()
      return answer
    }
    if (fromBlock === 'pending') {
      const blockRange = { fromBlock, toBlock: fromBlock }
      return await context.ask((node) =>
        node.call('eth_getLogs', [toLogQuery(filter, blockRange)], rawLogs),
      )
    }
    const range = await resolveRange(fromBlock, toBlock, context)
    if (range.from > range.to) return []
    if (range.from < range.to || range.isOpenEnded)
      return await readRangeLogs(range, filter, context)
    const blockNumber = toQuantity(range.to)
    return (await context.ask((node) => readBlockLogs(node, blockNumber, filter))) ?? []
  },
})

/** Returns the range of blocks to search. It may end beyond the head if it is small. */
async function resolveRange(
  fromBlock: BlockParam,
  toBlock: BlockParam,
  context: Context,
): Promise<LogRange> {
  const isOpenEnded = !isBlockNumber(toBlock)
  const head = [fromBlock, toBlock].every(isBlockNumber) ? 0 : await context.readHead()
  const from = toBlockNumber(fromBlock, head)
  const to = toBlockNumber(toBlock, head)
  if (isOpenEnded) return { from, to: Math.max(from, to), isOpenEnded }
  if (to - from <= maxLogBlocks) return { from, to, isOpenEnded }
  // A large range ends at the head, because pieces beyond it would never end.
  const height = Math.max(await context.ask(readHeight), context.getKnownHead() ?? 0)
  return { from, to: Math.min(to, height), isOpenEnded }
}

type BlockParam = string | null | undefined

function isBlockNumber(block: BlockParam): block is string {
  return block === 'earliest' || (block?.startsWith('0x') ?? false)
}
