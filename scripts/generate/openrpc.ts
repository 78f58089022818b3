import { codes } from '../../src/node/codes.ts'
import type { Method } from '../../src/node/methods/method.ts'
import { printedCalls } from '../dev/printed-rpc.ts'
import { toJsonSchema } from './json-schema.ts'

type Example = { params: unknown[]; result: unknown }

/** Names the local stack; a deployment has another origin. */
const localOrigin = '127.0.0.1:3000'

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

/** Describes the methods to programs (OpenRPC 1.3). */
export function createOpenRpcDocument(methods: readonly Method[]) {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Node JSON-RPC service',
      version: '1',
      description:
        'JSON-RPC 2.0 over HTTP POST and WebSocket. The API key is the last segment of the address, or comes as Authorization: Bearer to the address without it. Every chain_ method is also served under its rsk_ name.',
    },
    servers: [createServer('HTTP', 'http'), createServer('WebSocket', 'ws')],
    methods: methods.map(describeMethod),
  }
}

function describeMethod({ name, summary, params, result }: Method) {
  const example = findExample(name)
  const names = Object.keys(params)
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: Object.entries(params).map(([param, schema]) => ({
      name: param,
      required: !schema.safeParse(undefined).success,
      schema: toJsonSchema(schema, 'input', 'draft-7'),
    })),
    result: { name: 'result', schema: toJsonSchema(result, 'output', 'draft-7') },
    errors: [
      { code: codes.invalidParams, message: 'invalid parameters' },
      { code: codes.timeout, message: 'no node gave an answer in time, or it is too large' },
    ],
    examples: [
      {
        name,
        params: example.params.map((value, index) => ({ name: names[index] ?? '', value })),
        result: { name: 'result', value: example.result },
      },
    ],
  }
}

/** Creates a server's entry. Its address has parts in braces, which a client fills in. */
function createServer(name: string, scheme: string) {
  return {
    name,
    url: `${scheme}://{origin}/rpc/{apiKey}`,
    variables: {
      origin: { default: localOrigin, description: 'host and port of the deployment' },
      apiKey: { default: 'API_KEY', description: 'a key that the operator made' },
    },
  }
}

function findExample(name: string): Example {
  const own: Record<string, Example> = ownExamples
  const example = own[name] ?? findPrinted(name.replace(/^chain_/, 'rsk_'))
  if (example === undefined) throw new Error(`${name} has no example`)
  return example
}
