import { quantity } from '../objects/values.ts'
import { method } from './method.ts'

export const ethGasPrice = method({
  name: 'eth_gasPrice',
  summary: 'The price of a unit of gas in wei',
  params: {},
  result: quantity,
  example: { params: [], result: '0x1b580a0' },
  call: (_, { ask }) => ask((node) => node.call('eth_gasPrice', [], quantity)),
})
