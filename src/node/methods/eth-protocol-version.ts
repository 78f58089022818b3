import { quantity } from '../objects/values.ts'
import { protocolVersion } from '../reads/protocol-version.ts'
import { method } from './method.ts'

export const ethProtocolVersion = method({
  name: 'eth_protocolVersion',
  summary: 'The version of the protocol between nodes',
  params: {},
  result: quantity,
  example: { params: [], result: '0x3e' },
  call: (_, { ask }) => ask((node) => protocolVersion(node, 'eth_protocolVersion')),
})
