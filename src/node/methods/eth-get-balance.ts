import { method } from '../method.ts'
import { addressParam, blockOrHashParam, quantity } from '../values.ts'

/** What an account holds of the native currency, in wei; tokens are not in it. */
export const ethGetBalance = method({
  name: 'eth_getBalance',
  summary: 'The native currency that an account holds, in wei',
  params: { address: addressParam, block: blockOrHashParam.default('latest') },
  result: quantity,
  call: ({ address, block }, { ask }) =>
    ask((node) => node.call('eth_getBalance', [address, block], quantity)),
})
