import type { KeyCheck } from '../../../src/keys/api-keys.ts'
import { serve } from '../../chain/node/support/serve.ts'
import { type ScriptedSay, scriptedNode } from '../../support/fake-node.ts'

/** Starts the service with an RSKj that answers by a function. */
export const serveScripted = (say: ScriptedSay, ...clock: Parameters<typeof serve>[3][]) =>
  serve(['http://rskj.test/'], 31, scriptedNode(say), ...clock)

/** Holds an unlimited key of chain 31. */
export const granted = {
  kind: 'granted',
  hash: 'hash',
  chainId: 31,
  methods: undefined,
  maxSockets: 10,
  maxSubscriptions: 10,
  spend: async () => undefined,
} satisfies KeyCheck
