import { quantity, toQuantity } from '../objects/values.ts'
import { method } from './method.ts'

/** The number of the most recent block; it never goes back from one node to another. */
export const ethBlockNumber = method({
  name: 'eth_blockNumber',
  summary: 'The number of the most recent block',
  params: {},
  result: quantity,
  example: { params: [], result: '0x2a' },
  call: async (_, { head }) => toQuantity(await head()),
})
