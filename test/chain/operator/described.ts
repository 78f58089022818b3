import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../../scripts/generate/openapi.ts'

type Described = { content: { 'application/json'?: { schema: object } } }
type Operation = { requestBody?: Described & { required: boolean }; responses: { 200: Described } }

const { paths, components } = JSON.parse(JSON.stringify(openApiDocument())) as {
  paths: Record<string, Record<string, Operation>>
  components: { responses: { Refused: Described } }
}
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

const nothing: Described = { content: {} }

/** Compiles each schema once, when it is first asked for: all of them take a second. */
const compile = ({ content }: Described) => ajv.compile(content['application/json']?.schema ?? {})

/** Holds each operation of the OpenAPI document by method and path. */
const operations = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, responses }]) => [
      `${method.toUpperCase()} ${path}`,
      {
        asks: requestBody ?? nothing,
        wantsBody: requestBody?.required === true,
        tells: responses[200],
      },
    ]),
  ),
)

export const describedOperations: readonly string[] = [...operations.keys()].sort()

/** Compares a request and its answer with the document. @throws {Error} where they differ */
export function checkDescribed(
  asked: string,
  sent: unknown,
  { status, body }: { status: number; body: unknown },
): void {
  const [name] = asked.split('?')
  const found =
    operations.get(name ?? '') ?? operations.get(`${name}`.replace(/0x\w+$/, '{intent}'))
  if (found === undefined) {
    if (status === 404) return
    throw new Error(`the OpenAPI document does not describe ${asked}`)
  }
  const judged = compile(status === 200 ? found.tells : components.responses.Refused)
  const asks = compile(found.asks)
  const isBare = sent === undefined && !found.wantsBody
  if (status === 200 && !isBare && !asks(sent)) throw new Error(`${asked} was sent ${why(asks)}`)
  // Without a token set nothing is there, and that is said in plain text.
  if (judged(body) || status === 404) return
  throw new Error(`${asked} answered ${status}, and its document differs: ${why(judged)}`)
}

const why = (validate: ReturnType<typeof compile>): string => ajv.errorsText(validate.errors)
