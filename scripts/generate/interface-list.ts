import type { JsonSchema } from './json-schema.ts'

type Body = { content?: { 'application/json'?: { schema: JsonSchema } } }
type Operation = {
  parameters?: readonly { name: string; schema: JsonSchema }[]
  requestBody?: Body
  responses: { 200: Body }
}
type Method = {
  name: string
  params: readonly { name: string; required: boolean; schema: object }[]
  result: { schema: object }
}
type Interfaces = {
  paths: Readonly<Record<string, object>>
  methods: readonly Method[]
}

/** Holds the fields of an object by name; the fields of a list are those of its items. */
type Fields = Map<string, { isOptional: boolean; fields: Fields }>

const maxColumns = 100

/** Lists methods, paths and the names of their fields, so that a diff shows what changed. */
export function listInterfaces({ paths, methods }: Interfaces): string {
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs as Record<string, Operation>).flatMap(([verb, operation]) =>
      listNames(
        `${verb.toUpperCase()} ${path}${nameRequest(operation)}`,
        showBody(operation.responses[200]),
      ),
    ),
  )
  const calls = methods.flatMap(({ name, params, result }) =>
    listNames(
      `${name}(${params.map(nameParameter).join(', ')})`,
      showFields(result.schema as JsonSchema),
    ),
  )
  return [
    '# Names of the interfaces',
    '',
    'Written by `npm run generate`, so that a change of an interface shows here. `?` marks what may',
    'be left out, and words in braces are fields of a field, or of each entry of a list.',
    ...['', '## For operators', '', '```text', ...operations, '```'],
    ...['', '## The node service', '', '```text', ...calls, '```', ''],
  ].join('\n')
}

function nameRequest({ parameters = [], requestBody }: Operation): string {
  const names = parameters.map(({ name }) => name).join(' ') || showBody(requestBody)
  return names && ` <- ${names}`
}

function showBody(body: Body | undefined): string {
  const schema = body?.content?.['application/json']?.schema
  return schema === undefined ? '' : showFields(schema)
}

function nameParameter({ name, required, schema }: Method['params'][number]): string {
  const fields = showFields(schema as JsonSchema)
  return `${name}${required ? '' : '?'}${fields && `{${fields}}`}`
}

function showFields(schema: JsonSchema): string {
  return show(collectFields(schema))
}

function show(fields: Fields): string {
  return [...fields]
    .map(([name, { isOptional, fields: inner }]) => {
      return `${name}${isOptional ? '?' : ''}${inner.size > 0 ? `{${show(inner)}}` : ''}`
    })
    .join(' ')
}

/** Collects the fields of a schema. Of several schemas, one of which has to fit, it joins them. */
function collectFields(schema: JsonSchema, fields: Fields = new Map()): Fields {
  const required = new Set((schema.required ?? []) as string[])
  const isKnown = fields.size > 0
  for (const [name, inner] of Object.entries((schema.properties ?? {}) as object)) {
    const found = fields.get(name)
    const isOptional = !required.has(name) || (isKnown ? (found?.isOptional ?? true) : false)
    fields.set(name, { isOptional, fields: collectFields(inner, found?.fields) })
  }
  const named = Object.keys((schema.properties ?? {}) as object)
  if (isKnown && named.length > 0) {
    for (const [name, field] of fields) if (!named.includes(name)) field.isOptional = true
  }
  for (const one of listInner(schema)) collectFields(one, fields)
  return fields
}

function listInner(schema: JsonSchema): JsonSchema[] {
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf, schema.prefixItems]
  return [...alternatives, schema.items, schema.additionalProperties]
    .flat()
    .filter((inner): inner is JsonSchema => typeof inner === 'object' && inner !== null)
}

/** Breaks what is asked and answered into lines at its spaces. */
function listNames(asked: string, answered: string): string[] {
  const lines: string[] = []
  for (const word of `${asked}${answered && ` -> ${answered}`}`.split(' ')) {
    const line = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && line.length <= maxColumns) lines[lines.length - 1] = line
    else lines.push(lines.length > 0 ? `    ${word}` : word)
  }
  return lines
}
