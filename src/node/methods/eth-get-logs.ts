import { z } from 'zod'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { log, shapeLog } from '../objects/log.ts'
import { logFilterParam, logQuery } from '../objects/log-filter.ts'
import { toQuantity } from '../objects/values.ts'
import { logsOfBlock } from '../reads/block-logs.ts'
import { type LogRange, logsOfRange } from '../reads/logs.ts'
import { exampleBlock, exampleLogs } from './examples.ts'
import { type Context, method } from './method.ts'

/**
 * The logs that match a filter, oldest first; of the latest block, if no block is named. Over any
 * range at most 10,000, within 2,000 blocks any number.
 */
export const ethGetLogs = method({
  name: 'eth_getLogs',
  summary: 'The logs that match a filter',
  params: { filter: logFilterParam },
  result: z.array(log),
  example: { params: [{ blockHash: exampleBlock.hash }], result: exampleLogs },
  lasts: ({ filter }) => Boolean(filter.blockHash),
  async call({ filter }, context) {
    const { blockHash, fromBlock, toBlock } = filter
    if (blockHash || !(fromBlock || toBlock)) {
      const found = await context.ask((node) => logsOfBlock(node, blockHash ?? 'latest', filter), {
        mayLag: true,
      })
      // EIP-234: a block that is not known is not the same as one without logs.
      if (found === null) throw new RpcError(codes.failed, 'unknown block')
      return found
    }
    if (fromBlock === 'pending') {
      const where = { fromBlock, toBlock: fromBlock }
      return await context.ask(async (node) =>
        (await node.call('eth_getLogs', [logQuery(filter, where)], z.array(log))).map(shapeLog),
      )
    }
    const range = await rangeOf(fromBlock, toBlock, context)
    if (range.from > range.to) return []
    if (range.from < range.to || range.open) return await logsOfRange(range, filter, context)
    const only = toQuantity(range.to)
    return (await context.ask((node) => logsOfBlock(node, only, filter), { mayLag: true })) ?? []
  },
})

/**
 * The blocks to look through. There is nothing beyond the head, which nodes say in ways of their
 * own: RSKj with no logs, go-ethereum and anvil with an error.
 */
async function rangeOf(fromBlock: Named, toBlock: Named, context: Context): Promise<LogRange> {
  const open = !isNumber(toBlock)
  const named = [fromBlock, toBlock].every(isNumber)
  const beyond = Number(toBlock) > (context.knownHead() ?? -1)
  const head = named && !beyond ? 0 : await context.head()
  const from = blockNumber(fromBlock, head)
  const to = blockNumber(toBlock, head)
  return { from, to: named && !beyond ? to : Math.min(to, head), open }
}

type Named = string | null | undefined

function isNumber(block: Named): block is string {
  return block === 'earliest' || (block?.startsWith('0x') ?? false)
}

function blockNumber(block: Named, head = 0): number {
  if (block === 'earliest') return 0
  return block?.startsWith('0x') ? Number(block) : head
}
