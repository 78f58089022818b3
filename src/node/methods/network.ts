import * as z from 'zod/mini'
import { hashKeccak } from '../../runtime/keccak.ts'
import { address, anyQuantity, dataParam, hash, quantity, toQuantity } from '../objects/values.ts'
import { undefinedIfUnsupported } from '../reads/lookup.ts'
import type { UpstreamNode } from '../upstream/node.ts'
import { defineMethod } from './method.ts'
import { openRpcDocument } from './openrpc-document.ts'

export const networkMethods = [
  defineMethod({
    name: 'eth_accounts',
    summary: 'Always an empty list: the service stores no keys',
    result: z.array(address).check(z.maxLength(0)),
    call: async () => [],
  }),
  defineMethod({
    name: 'eth_blockNumber',
    summary: 'The number of the most recent block',
    result: quantity,
    call: async (_, { readHead }) => toQuantity(await readHead()),
  }),
  defineMethod({
    name: 'eth_chainId',
    summary: 'The chain id for signing (EIP-155)',
    result: quantity,
    call: async (_, { chainId }) => toQuantity(chainId),
  }),
  defineMethod({
    name: 'net_version',
    summary: 'The network id as a decimal string',
    result: z.string().check(z.regex(/^\d+$/)),
    call: async (_, { chainId }) => `${chainId}`,
  }),
  defineMethod({
    name: 'eth_gasPrice',
    summary: 'The price of a unit of gas in wei',
    result: quantity,
    call: async (_, { askAll }) =>
      pickMajorityPrice(await askAll((node) => node.call('eth_gasPrice', [], quantity))),
  }),
  defineMethod({
    name: 'web3_clientVersion',
    summary: 'Name, version and platform of the node',
    result: z.string(),
    call: (_, { ask }) => ask((node) => node.call('web3_clientVersion', [], z.string())),
  }),
  defineMethod({
    name: 'eth_protocolVersion',
    summary: 'The version of the protocol between nodes',
    result: quantity,
    call: (_, { ask }) => ask((node) => readProtocolVersion(node, 'eth_protocolVersion')),
  }),
  defineMethod({
    name: 'chain_protocolVersion',
    summary: 'The version of the protocol between nodes of the chain',
    result: quantity,
    call: (_, { ask }) =>
      ask((node) =>
        readProtocolVersion(node, `${node.kind === 'rskj' ? 'rsk' : 'eth'}_protocolVersion`),
      ),
  }),
  defineMethod({
    name: 'web3_sha3',
    summary: 'Keccak-256 of the given bytes',
    params: { data: dataParam },
    result: hash,
    call: async ({ data }) => hashKeccak(data as `0x${string}`),
  }),
  defineMethod({
    name: 'rpc.discover',
    summary: 'The OpenRPC document of this service',
    result: z.looseObject({
      openrpc: z.string(),
      methods: z.array(z.looseObject({ name: z.string() })),
    }),
    isImmutable: () => true,
    // No node is asked.
    isFullyProved: true,
    call: async () => JSON.parse(openRpcDocument),
  }),
]

/** Returns the wire protocol's version; eth/68 if a newer Ethereum node does not serve it. */
async function readProtocolVersion(node: UpstreamNode, name: string): Promise<string> {
  return (await undefinedIfUnsupported(node.call(name, [], anyQuantity))) ?? '0x44'
}

/** Returns the highest price that a majority of nodes ask at least: one node alone raises none. */
function pickMajorityPrice(prices: readonly string[]): string {
  const dearestFirst = prices.toSorted((a, b) => (BigInt(a) < BigInt(b) ? 1 : -1))
  return dearestFirst[Math.floor(prices.length / 2)] ?? '0x0'
}
