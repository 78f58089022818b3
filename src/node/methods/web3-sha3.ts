import { keccak256 } from 'viem'
import { dataParam, hash } from '../objects/values.ts'
import { method } from './method.ts'

export const web3Sha3 = method({
  name: 'web3_sha3',
  summary: 'Keccak-256 of the given bytes',
  params: { data: dataParam },
  result: hash,
  example: {
    params: ['0x68656c6c6f20776f726c64'],
    result: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
  },
  call: async ({ data }) => keccak256(data as `0x${string}`),
})
