import * as z from 'zod/mini'
import type { Method } from '../../src/node/methods/method.ts'
import type { MethodSchemas } from '../../src/node/methods/openrpc.ts'

export type JsonSchema = Record<string, unknown>

/** Describes what a zod schema takes or gives. @throws {Error} no JSON Schema can say it */
export function toJsonSchema(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  target: 'draft-7' | 'draft-2020-12',
): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target,
    // The format says it in one word.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  return rest
}

/** Describes the parameters and the result of each method. */
export function methodSchemas(methods: readonly Method[]): MethodSchemas {
  const schemas = methods.map(({ name, params, result }) => [
    name,
    {
      params: Object.values(params).map((schema) => toJsonSchema(schema, 'input', 'draft-7')),
      result: toJsonSchema(result, 'output', 'draft-7'),
    },
  ])
  return Object.fromEntries(schemas)
}
