import * as z from 'zod/mini'

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
