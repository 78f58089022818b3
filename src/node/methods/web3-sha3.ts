import { keccak256 } from 'viem'
import { method } from '../method.ts'
import { dataParam, hash } from '../values.ts'

/** Keccak-256 of some bytes, which is not the standardized SHA3-256. Needs no node. */
export const web3Sha3 = method({
  name: 'web3_sha3',
  summary: 'Keccak-256 of the given bytes',
  params: { data: dataParam },
  result: hash,
  call: async ({ data }) => keccak256(data as `0x${string}`),
})
