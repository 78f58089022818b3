import { callParam, nodeCall } from '../objects/call.ts'
import { data, stateBlockParam } from '../objects/values.ts'
import { atBlock, withoutBareHash } from '../reads/at-block.ts'
import { simulated } from '../reads/simulation.ts'
import { exampleContract } from './examples.ts'
import { method } from './method.ts'

export const ethCall = method({
  name: 'eth_call',
  summary: 'The output of a call that makes no transaction',
  params: { call: callParam, block: stateBlockParam },
  result: data,
  example: {
    params: [
      {
        to: exampleContract,
        data: '0xf8b2cb4f000000000000000000000000cd2a3d9f938e13cd947ec05abc7fe734df8dd826',
      },
      'latest',
    ],
    result: '0x000000000000000000000000000000000000000000000000002386f26fc10000',
  },
  call: ({ call, block }, { ask }) =>
    ask((node) =>
      atBlock(node, block, (at) =>
        simulated(node.call('eth_call', [nodeCall(call), withoutBareHash(node, at)], data), call),
      ),
    ),
})
