import fc from 'fast-check'
import { methods } from '../../src/node/methods/list.ts'

/** What a hostile or broken client may put into the body of a request. */
export type RandomRequest = { body: string | Uint8Array<ArrayBuffer>; contentType: string }

const hex = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
    .map((text) => `0x${text}`)

const number = (limit: number) => fc.nat(limit - 1).map((value) => `0x${value.toString(16)}`)

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  hex(64),
  hex(40),
  fc.nat(129).chain(hex),
  number(40),
  fc.constantFrom('latest', 'earliest', 'pending', 'safe', 'finalized', ''),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.double({ min: 0, max: 1e300, noNaN: true }),
  fc.constantFrom(null, true, false, '0x', '0X1', 'x', '\0', '\ud800', '💩', '__proto__'),
  fc.nat(1_999).map((length) => 'x'.repeat(length)),
  fc.nat(9).map((more) => Number.MAX_SAFE_INTEGER + more),
)

/** What objects of the interface have, and what no object should. */
const member = fc.constantFrom(
  ...['to', 'from', 'data', 'input', 'value', 'gas', 'gasPrice', 'fromBlock', 'toBlock'],
  ...['blockHash', 'address', 'topics', 'fromAddress', 'toAddress', 'after', 'count', 'id'],
  ...['jsonrpc', 'method', 'params', '__proto__', 'constructor', 'blockNumber'],
  ...['requireCanonical', ''],
)

/** Any JSON, some levels deep. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 6, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.tuple(member, tie('value')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    },
  ),
}))

const oneIn = <T>(share: number, rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 1, arbitrary: rare }, { weight: share - 1, arbitrary: usual })

const strangeName = fc.oneof(
  fc.constantFrom<unknown>(
    'eth_',
    'rsk_protocolVersion',
    'anvil_mine',
    'toString',
    '__proto__',
    '',
  ),
  fc.constant('x'.repeat(999)),
  value,
)
const methodName = oneIn<unknown>(
  7,
  strangeName,
  fc.constantFrom(...methods.map(({ name }) => name)),
)

const plausible: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  address: hex(40),
  hash: hex(64),
  blockHash: hex(64),
  transactionHash: hex(64),
  block: fc.oneof(number(20), fc.constantFrom('latest', 'earliest', 'pending'), hex(64)),
  full: fc.boolean(),
  call: fc.record(
    { to: hex(40), data: fc.nat(39).chain((bytes) => hex(2 * bytes)), value: fc.constant('0x0') },
    { requiredKeys: ['to'] },
  ),
  filter: fc.record({ fromBlock: number(9), toBlock: fc.constant('latest'), address: hex(40) }),
}

function paramsOf(name: unknown): fc.Arbitrary<unknown> {
  const params = Object.keys(methods.find((one) => one.name === name)?.params ?? {})
  const each = params.map((param) => oneIn<unknown>(7, value, plausible[param] ?? value))
  const right = fc.tuple(...each)
  const changed = fc
    .tuple(right, fc.nat(2), fc.array(value, { maxLength: 1 }))
    .map(([all, count, more]) => [...all.slice(0, count), ...more])
  return oneIn<unknown>(7, value, oneIn<unknown>(5, changed, right))
}

const fields = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'more')

const right = methodName.chain((method) =>
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.nat(999),
    method: fc.constant(method),
    params: paramsOf(method),
  }),
)

const request: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 16, arbitrary: right },
  {
    weight: 2,
    arbitrary: fc
      .tuple(right, fields)
      .map(([whole, field]) =>
        Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(right, fields, value)
      .map(([whole, field, other]) => ({ ...whole, [field]: other })),
  },
  { weight: 1, arbitrary: value },
)

/** A text that something happened to on the way. */
function mutated(text: string): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> {
  const place = fc.nat(text.length)
  const cut = (at: number) => [text.slice(0, at), text.slice(at)] as const
  return fc.oneof(
    place.map((at) => text.slice(0, at)),
    fc
      .tuple(place, fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', '\0', '1e999'))
      .map(([at, added]) => cut(at).join(added)),
    fc.tuple(place, fc.nat(19)).map(([at, lost]) => text.slice(0, at) + text.slice(at + 1 + lost)),
    fc.constant(text + text),
    fc.tuple(place, fc.nat(255)).map(([at, byte]) => {
      const bytes = new Uint8Array(Buffer.from(text))
      if (bytes.length > 0) bytes[at % bytes.length] = byte
      return bytes
    }),
    fc.nat(2_999).map((deep) => `${'['.repeat(deep)}${text}`),
  )
}

/** Requests that range from right to nonsense. */
export const randomRequest: fc.Arbitrary<RandomRequest> = fc.record({
  body: oneIn<unknown>(8, fc.array(request, { maxLength: 59 }), request)
    .map((body) => JSON.stringify(body) ?? '')
    .chain((text) => oneIn<RandomRequest['body']>(7, mutated(text), fc.constant(text))),
  contentType: oneIn(
    33,
    fc.constantFrom('text/plain', 'application/xml'),
    fc.constant('application/json'),
  ),
})

/** Makes so many requests at a time, the same ones for the same seed. */
export function createRandomRequests(seed: number): () => RandomRequest {
  const atOnce = 100
  let drawn: RandomRequest[] = []
  let batches = 0
  return () => {
    if (drawn.length === 0) {
      drawn = fc.sample(randomRequest, { seed: seed + batches, numRuns: atOnce })
      batches += 1
    }
    return drawn.pop() as RandomRequest
  }
}

const statuses = [200, 204, 400, 413, 415]

/** What is wrong with a response, if anything is. */
export function faultOfResponse(status: number, text: string): string | undefined {
  if (!statuses.includes(status)) return `status ${status}`
  if (status === 204) return text === '' ? undefined : 'a body with 204'
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return 'a response that is not JSON'
  }
  const answers = Array.isArray(answer) ? answer : [answer]
  if (answers.length === 0) return 'an empty batch'
  return answers.map(faultOfEnvelope).find((fault) => fault !== undefined)
}

function faultOfEnvelope(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return 'a response that is no object'
  const { jsonrpc, id, error } = answer as Record<string, unknown>
  if (jsonrpc !== '2.0') return 'a response without jsonrpc'
  if (!('id' in answer) || !['string', 'number', 'object'].includes(typeof id)) {
    return 'a response without an id'
  }
  if ('result' in answer === 'error' in answer) return 'a response with both or neither'
  if (!('error' in answer)) return undefined
  const { code, message } = error as Record<string, unknown>
  return Number.isSafeInteger(code) && typeof message === 'string'
    ? undefined
    : 'an error without a code'
}
