import { quantity } from '../objects/values.ts'
import { method } from './method.ts'

export const ethChainId = method({
  name: 'eth_chainId',
  summary: 'The chain id for signing (EIP-155)',
  params: {},
  result: quantity,
  example: { params: [], result: '0x1f' },
  call: async (_, { chainId }) => `0x${chainId.toString(16)}`,
})
