import * as z from 'zod/mini'
import { codes } from '../codes.ts'
import { defineMethod, type Method } from './method.ts'
import { schemas as writtenSchemas } from './schemas.ts'

/** Holds the JSON Schemas of each method's parameters and result. */
export type MethodSchemas = Record<string, { params: object[]; result: object }>

/** Names the local stack; a deployment has another origin. */
const localOrigin = '127.0.0.1:3000'

export const rpcDiscover = defineMethod({
  name: 'rpc.discover',
  summary: 'The OpenRPC document of this service',
  params: {},
  result: z.looseObject({
    openrpc: z.string(),
    methods: z.array(z.looseObject({ name: z.string() })),
  }),
  example: { params: [], result: { openrpc: '1.3.2', methods: [] } },
  isImmutableByParams: () => true,
  // No node is asked.
  isFullyProved: true,
  call: async (_, { methods }) => createOpenRpcDocument(methods),
})

/** Describes the methods to programs (OpenRPC 1.3), with schemas that were generated. */
export function createOpenRpcDocument(
  methods: readonly Method[],
  schemas: MethodSchemas = JSON.parse(writtenSchemas),
) {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Node JSON-RPC service',
      version: '1',
      description:
        'JSON-RPC 2.0 over HTTP POST and WebSocket. The API key is the last segment of the address, or comes as Authorization: Bearer to the address without it. Every chain_ method is also served under its rsk_ name.',
    },
    servers: [createServer('HTTP', 'http'), createServer('WebSocket', 'ws')],
    methods: methods.map(({ name, summary, params, example }) => ({
      name,
      summary,
      paramStructure: 'by-position',
      params: Object.entries(params).map(([param, schema], index) => ({
        name: param,
        required: !schema.safeParse(undefined).success,
        schema: schemas[name]?.params[index] ?? {},
      })),
      result: { name: 'result', schema: schemas[name]?.result ?? {} },
      errors: [
        { code: codes.invalidParams, message: 'invalid parameters' },
        { code: codes.timeout, message: 'no node gave an answer in time, or it is too large' },
      ],
      examples: [
        {
          name,
          params: Object.keys(params)
            .slice(0, example.params.length)
            .map((param, index) => ({ name: param, value: example.params[index] })),
          result: { name: 'result', value: example.result },
        },
      ],
    })),
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
