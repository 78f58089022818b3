import { atBlock, withoutBareHash } from '../at-block.ts'
import { callParam, nodeCall, simulated } from '../call-object.ts'
import { method } from '../method.ts'
import { data, stateBlockParam } from '../values.ts'

/** Runs a call without making a transaction. */
export const ethCall = method({
  name: 'eth_call',
  summary: 'The output of a call that makes no transaction',
  params: { call: callParam, block: stateBlockParam },
  result: data,
  call: ({ call, block }, { ask }) =>
    ask((node) =>
      atBlock(node, block, (at) =>
        simulated(node.call('eth_call', [nodeCall(call), withoutBareHash(node, at)], data)),
      ),
    ),
})
