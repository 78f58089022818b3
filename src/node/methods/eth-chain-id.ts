import { method } from '../method.ts'
import { quantity } from '../values.ts'

/** The chain id that signatures are made for (EIP-155). */
export const ethChainId = method({
  name: 'eth_chainId',
  summary: 'The chain id for signing (EIP-155)',
  params: {},
  result: quantity,
  call: async (_, { chainId }) => `0x${chainId.toString(16)}`,
})
