import * as z from 'zod/mini'
import { method } from './method.ts'

export const netVersion = method({
  name: 'net_version',
  summary: 'The network id as a decimal string',
  params: {},
  result: z.string().check(z.regex(/^\d+$/)),
  example: { params: [], result: '31' },
  call: async (_, { chainId }) => `${chainId}`,
})
