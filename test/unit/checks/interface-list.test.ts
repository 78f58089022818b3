import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { listInterfaces } from '../../../scripts/generate/interface-list.ts'
import { toJsonSchema } from '../../../scripts/generate/json-schema.ts'

const list = (result: z.ZodMiniType) =>
  listInterfaces({
    paths: {},
    methods: [
      {
        name: 'read',
        params: [{ name: 'block', required: false, schema: {} }],
        result: { schema: toJsonSchema(result, 'output', 'draft-7') },
      },
    ],
  })

test('a field is listed within its field, in a list, a record, and one of several forms', () => {
  const inner = z.object({ nonce: z.number(), hash: z.optional(z.string()) })
  for (const many of [z.array(inner), z.record(z.string(), inner), z.nullable(inner)]) {
    expect(list(z.object({ sent: many }))).toContain('read(block?) -> sent{nonce hash?}')
  }
})

test('a field that some forms lack may be left out, whatever the order of the forms', () => {
  const done = z.object({ kind: z.literal('done'), hash: z.string() })
  const refused = z.object({ kind: z.literal('refused'), reason: z.string() })
  expect(list(z.union([done, refused]))).toContain('read(block?) -> kind hash? reason?')
  expect(list(z.union([refused, done]))).toContain('read(block?) -> kind reason? hash?')
})
