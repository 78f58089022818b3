import { quantity } from '../objects/values.ts'
import { protocolVersion } from '../reads/protocol-version.ts'
import { method } from './method.ts'

/** The version of Rootstock's own wire protocol; on other nodes the same as `eth_protocolVersion`. */
export const chainProtocolVersion = method({
  name: 'chain_protocolVersion',
  summary: 'The version of the protocol between nodes of the chain',
  params: {},
  result: quantity,
  example: { params: [], result: '0x3e' },
  call: (_, { ask }) =>
    ask((node) =>
      protocolVersion(
        node,
        node.profile === 'rskj' ? 'rsk_protocolVersion' : 'eth_protocolVersion',
      ),
    ),
})
