import type { Method } from '../../src/node/methods/method.ts'
import type { MethodDescriptions } from '../../src/node/methods/openrpc.ts'
import { printedCalls } from '../dev/printed-rpc.ts'
import { toJsonSchema } from './json-schema.ts'

type Example = MethodDescriptions[string]['example']

/** The first call that is printed of a method. */
const findPrinted = (name: string) => printedCalls.find(({ method }) => method === name)

// RSKj 6.2.0, which printed them, had no price in a receipt.
const receipt = {
  ...Object(findPrinted('eth_getTransactionReceipt')?.result),
  effectiveGasPrice: Object(findPrinted('eth_getTransactionByHash')?.result).gasPrice,
}

const subscription = '0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c'

/** Holds examples of what the hosted service does not have, or is not printed as it answers. */
export const ownExamples = {
  eth_getBlockReceipts: { params: [receipt.blockHash], result: [receipt] },
  eth_getTransactionReceipt: { params: [receipt.transactionHash], result: receipt },
  eth_sendRawTransaction: {
    params: [
      '0xf863808401b580a082520894cd2a3d9f938e13cd947ec05abc7fe734df8dd826018062a087cc3d279135ecb72e12796fdbea6716aa65622a9b218de1df5ab4e3f10b312ea047a6098dc01fa5e229624ceac37f51c31f7b0457dd56933ab46e5247965bafe7',
    ],
    result: '0xe9e1af0f541a6bdc18cf78fc824cc5dfc3cd96cabe37f28306cedac080f2b6f6',
  },
  eth_subscribe: { params: ['newHeads'], result: subscription },
  eth_unsubscribe: { params: [subscription], result: true },
  'rpc.discover': { params: [], result: { openrpc: '1.3.2', methods: [] } },
} satisfies Record<string, Example>

/** Describes the parameters and the result of each method, and shows a call. */
export function describeMethods(methods: readonly Method[]): MethodDescriptions {
  const descriptions = methods.map(({ name, params, result }) => [
    name,
    {
      params: Object.values(params).map((schema) => toJsonSchema(schema, 'input', 'draft-7')),
      result: toJsonSchema(result, 'output', 'draft-7'),
      example: findExample(name),
    },
  ])
  return Object.fromEntries(descriptions)
}

function findExample(name: string): Example {
  const own: Record<string, Example> = ownExamples
  const example = own[name] ?? findPrinted(name.replace(/^chain_/, 'rsk_'))
  if (example === undefined) throw new Error(`${name} has no example`)
  return { params: example.params, result: example.result }
}
