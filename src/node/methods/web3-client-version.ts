import * as z from 'zod/mini'
import { method } from './method.ts'

export const web3ClientVersion = method({
  name: 'web3_clientVersion',
  summary: 'Name, version and platform of the node',
  params: {},
  result: z.string(),
  example: { params: [], result: 'RskJ/9.0.3/Linux/Java17/VETIVER-dev' },
  call: (_, { ask }) => ask((node) => node.call('web3_clientVersion', [], z.string())),
})
