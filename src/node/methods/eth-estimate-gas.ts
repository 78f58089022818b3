import { callParam } from '../call-object.ts'
import { method } from '../method.ts'
import { blockParam, quantity } from '../values.ts'

/** The gas a transaction would need, by simulating it. */
export const ethEstimateGas = method({
  name: 'eth_estimateGas',
  summary: 'The gas that a transaction needs; it is simulated and not sent',
  params: { call: callParam, block: blockParam.optional() },
  result: quantity,
  call: ({ call, block }, { ask }) =>
    ask((node) =>
      node.call('eth_estimateGas', block === undefined ? [call] : [call, block], quantity),
    ),
})
