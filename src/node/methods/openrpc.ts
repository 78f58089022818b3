import * as z from 'zod/mini'
import { codes } from '../codes.ts'
import { descriptions as writtenDescriptions } from './descriptions.ts'
import { defineMethod, type Method } from './method.ts'

/** Holds the JSON Schemas of each method's parameters and result, and a call with its answer. */
export type MethodDescriptions = Record<
  string,
  { params: object[]; result: object; example: { params: unknown[]; result: unknown } }
>

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
  isImmutableByParams: () => true,
  // No node is asked.
  isFullyProved: true,
  call: async (_, { methods }) => createOpenRpcDocument(methods),
})

/** Describes the methods to programs (OpenRPC 1.3), by descriptions that were generated. */
export function createOpenRpcDocument(
  methods: readonly Method[],
  descriptions: MethodDescriptions = JSON.parse(writtenDescriptions),
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
    methods: methods.map(({ name, summary, params }) => {
      const description = descriptions[name]
      const { example = { params: [], result: null } } = description ?? {}
      const names = Object.keys(params)
      return {
        name,
        summary,
        paramStructure: 'by-position',
        params: Object.entries(params).map(([param, schema], index) => ({
          name: param,
          required: !schema.safeParse(undefined).success,
          schema: description?.params[index] ?? {},
        })),
        result: { name: 'result', schema: description?.result ?? {} },
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
    }),
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
