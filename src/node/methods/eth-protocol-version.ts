import { method } from '../method.ts'
import { protocolVersion } from '../protocol-version.ts'
import { quantity } from '../values.ts'

/** The version of the wire protocol that the node speaks with its peers. */
export const ethProtocolVersion = method({
  name: 'eth_protocolVersion',
  summary: 'The version of the protocol between nodes',
  params: {},
  result: quantity,
  example: { params: [], result: '0x3e' },
  call: (_, { ask }) => ask((node) => protocolVersion(node, 'eth_protocolVersion')),
})
