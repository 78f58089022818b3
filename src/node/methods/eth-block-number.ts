import { method } from '../method.ts'
import { quantity } from '../values.ts'

/** The number of the most recent block. */
export const ethBlockNumber = method({
  name: 'eth_blockNumber',
  summary: 'The number of the most recent block',
  params: {},
  result: quantity,
  call: (_, { ask }) => ask((node) => node.call('eth_blockNumber', [], quantity)),
})
