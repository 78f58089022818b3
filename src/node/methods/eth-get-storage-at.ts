import { method } from '../method.ts'
import { addressParam, blockOrHashParam, hash, quantityParam } from '../values.ts'

/** The 32 bytes at a position of an account's storage. */
export const ethGetStorageAt = method({
  name: 'eth_getStorageAt',
  summary: 'The 32 bytes of a storage slot',
  params: { address: addressParam, position: quantityParam, block: blockOrHashParam },
  result: hash,
  call: ({ address, position, block }, { ask }) =>
    ask((node) => node.call('eth_getStorageAt', [address, position, block], hash)),
})
