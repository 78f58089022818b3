import { z } from 'zod'
import { log, shapeLog } from '../log.ts'
import { logFilterParam } from '../log-filter.ts'
import { method } from '../method.ts'

/** The logs that match a filter, oldest first. */
export const ethGetLogs = method({
  name: 'eth_getLogs',
  summary: 'The logs that match a filter',
  params: { filter: logFilterParam },
  result: z.array(log),
  call: ({ filter }, { ask }) =>
    ask(async (node) => (await node.call('eth_getLogs', [filter], z.array(log))).map(shapeLog)),
})
