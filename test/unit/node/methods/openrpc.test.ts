import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { printedCalls } from '../../../../scripts/dev/printed-rpc.ts'
import { createOpenRpcDocument } from '../../../../scripts/generate/openrpc.ts'
import { methods } from '../../../../src/node/methods/list.ts'
import { serve } from '../../../chain/node/support/serve.ts'

// A CommonJS package whose types promise a default export.
const { openrpcDocument: metaSchema } = createRequire(import.meta.url)('@open-rpc/meta-schema')

test('rpc.discover describes every method, and what it answers is what generate writes', async () => {
  const served = await serve(['http://127.0.0.1:9'])
  const { result } = await served.rpc('rpc.discover')
  const written = createOpenRpcDocument(methods)
  expect(result).toEqual(JSON.parse(JSON.stringify(written)))
  const described = (result as unknown as { methods: { name: string }[] }).methods
  expect(described.map(({ name }) => name)).toEqual(methods.map(({ name }) => name))
})

test('the document is valid by the meta-schema of OpenRPC', () => {
  const ajv = new Ajv({ strict: false, validateSchema: false })
  // Its schemas of schemas live elsewhere on the web; whether they are JSON Schema is tested below.
  const anySchema = {
    type: ['object', 'boolean'],
    definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } },
  }
  for (const id of ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/']) {
    ajv.addSchema(anySchema, id)
  }
  const validate = ajv.compile(metaSchema)
  const valid = validate(createOpenRpcDocument(methods))
  expect(validate.errors).toBeNull()
  expect(valid).toBe(true)
  expect(validate({ openrpc: '1.3.2', info: {}, methods: [] })).toBe(false)
})

test('every schema in the document is a JSON Schema that accepts what the service accepts', () => {
  const ajv = new Ajv({ strict: false })
  const schemas = new Map(
    createOpenRpcDocument(methods).methods.map(({ name, params, result }) => [
      name,
      {
        params: params.map(({ schema }) => ajv.compile(schema)),
        required: params.filter(({ required }) => required).length,
        result: ajv.compile(result.schema),
      },
    ]),
  )
  for (const { method, params, result } of printedCalls) {
    const schema = schemas.get(method.replace(/^rsk_/, 'chain_'))
    expect(params.length, method).toBeGreaterThanOrEqual(schema?.required ?? 99)
    for (const [index, param] of params.entries()) {
      expect(schema?.params[index]?.(param), `${method} ${JSON.stringify(param)}`).toBe(true)
    }
    // The price that was paid is missing in what RSKj 6.2.0 printed.
    if (method !== 'eth_getTransactionReceipt') expect(schema?.result(result), method).toBe(true)
  }
})

test('each example is a valid call, with a result that fits the schema', () => {
  const described = createOpenRpcDocument(methods).methods.map(({ examples }) => examples[0])
  for (const [index, method] of methods.entries()) {
    const { name, params, result } = described[index] ?? expect.fail(method.name)
    expect(() => method.parse(params.map(({ value }) => value)), name).not.toThrow()
    expect(method.result.safeParse(result.value).error, name).toBeUndefined()
  }
})
