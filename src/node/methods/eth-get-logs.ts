import { z } from 'zod'
import { RpcError } from '../../chain/rpc.ts'
import { codes } from '../codes.ts'
import { log, shapeLog } from '../log.ts'
import { logFilterParam, logQuery } from '../log-filter.ts'
import { logsOfBlock, logsOfRange } from '../logs.ts'
import { method } from '../method.ts'

/**
 * The logs that match a filter, oldest first; of the latest block, if no block is named. Over any
 * range at most 10,000, within 2,000 blocks any number.
 */
export const ethGetLogs = method({
  name: 'eth_getLogs',
  summary: 'The logs that match a filter',
  params: { filter: logFilterParam },
  result: z.array(log),
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
    const head = [fromBlock, toBlock].every(isNumber) ? undefined : await context.head()
    const from = blockNumber(fromBlock, head)
    const to = blockNumber(toBlock, head)
    if (from > to && isNumber(toBlock)) return []
    if (from === to && isNumber(toBlock)) {
      return (await context.ask((node) => logsOfBlock(node, toBlock, filter))) ?? []
    }
    const open = !isNumber(toBlock)
    return await logsOfRange({ from, to: Math.max(from, to), open }, filter, context)
  },
})

type Named = string | null | undefined

function isNumber(block: Named): block is string {
  return block === 'earliest' || (block?.startsWith('0x') ?? false)
}

function blockNumber(block: Named, head = 0): number {
  if (block === 'earliest') return 0
  return block?.startsWith('0x') ? Number(block) : head
}
