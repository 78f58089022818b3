import * as z from 'zod/mini'
import { method } from './method.ts'
import { openRpcDocument } from './openrpc.ts'

export const rpcDiscover = method({
  name: 'rpc.discover',
  summary: 'The OpenRPC document of this service',
  params: {},
  result: z.looseObject({
    openrpc: z.string(),
    methods: z.array(z.looseObject({ name: z.string() })),
  }),
  example: { params: [], result: { openrpc: '1.3.2', methods: [] } },
  lasts: () => true,
  // No node is asked.
  proves: () => true,
  call: async (_, { methods }) => openRpcDocument(methods),
})
