import * as z from 'zod/mini'
import { defineMethod } from './method.ts'
import { openRpcDocument } from './openrpc-document.ts'

export const rpcDiscover = defineMethod({
  name: 'rpc.discover',
  summary: 'The OpenRPC document of this service',
  params: {},
  result: z.looseObject({
    openrpc: z.string(),
    methods: z.array(z.looseObject({ name: z.string() })),
  }),
  isImmutableByParams: () => true,
  // No node is asked.
  isFullyProved: true,
  call: async () => JSON.parse(openRpcDocument),
})
