import { z } from 'zod'
import { codes } from './codes.ts'
import type { Method } from './method.ts'

type JsonSchema = Record<string, unknown>

/** What describes the service to programs (OpenRPC 1.3). */
export type OpenRpcDocument = {
  openrpc: '1.3.2'
  info: { title: string; version: string; description: string }
  methods: {
    name: string
    summary: string
    paramStructure: 'by-position'
    params: { name: string; required: boolean; schema: JsonSchema }[]
    result: { name: string; schema: JsonSchema }
    errors: { code: number; message: string }[]
  }[]
}

/** The document for a list of methods. */
export function openRpcDocument(methods: readonly Method[]): OpenRpcDocument {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Node JSON-RPC service',
      version: '1',
      description:
        'JSON-RPC 2.0 over HTTP POST and WebSocket. The API key is the last segment of the address. Every chain_ method is also served under its rsk_ name.',
    },
    methods: methods.map(({ name, summary, params, result }) => ({
      name,
      summary,
      paramStructure: 'by-position',
      params: Object.entries(params).map(([param, schema]) => ({
        name: param,
        required: !schema.safeParse(undefined).success,
        schema: schemaOf(schema, 'input'),
      })),
      result: { name: 'result', schema: schemaOf(result, 'output') },
      errors: [
        { code: codes.invalidParams, message: 'invalid parameters' },
        { code: codes.timeout, message: 'no node gave an answer in time, or it is too large' },
      ],
    })),
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-7' })
  return rest
}
