import * as z from 'zod/mini'
import { address } from '../objects/values.ts'
import { method } from './method.ts'

export const ethAccounts = method({
  name: 'eth_accounts',
  summary: 'Always an empty list: the service stores no keys',
  params: {},
  result: z.array(address).check(z.maxLength(0)),
  example: { params: [], result: [] },
  call: async () => [],
})
