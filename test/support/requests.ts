import fc from 'fast-check'
import { z } from 'zod'
import { methods } from '../../src/node/methods/list.ts'
import { parseJson } from '../../src/runtime/json.ts'

/** What a hostile or broken client may put into the body of a request. */
export type RandomRequest = { body: string | Uint8Array<ArrayBuffer>; contentType: string }

const hex = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
    .map((text) => `0x${text}`)

const number = (limit: number) => fc.nat(limit - 1).map((value) => `0x${value.toString(16)}`)

/** Any JSON, with members that objects of the interface have and values that they may have. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.nat(129).chain(hex),
  fc.constantFrom<unknown>(
    'latest',
    'safe',
    '0x',
    '0X1',
    '\0',
    '\ud800',
    '💩',
    2 ** 53,
    'x'.repeat(999),
  ),
  fc.dictionary(
    fc.constantFrom(
      ...'to from data input gas fromBlock toBlock blockHash address topics fromAddress'.split(' '),
      ...['after', 'count', '__proto__', 'blockNumber', 'requireCanonical'],
    ),
    fc.oneof(hex(64), hex(40), number(40), fc.jsonValue()),
  ),
)

const oneIn = <T>(share: number, rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 1, arbitrary: rare }, { weight: share - 1, arbitrary: usual })

const methodName = oneIn<unknown>(
  7,
  fc.oneof(fc.constantFrom('eth_', 'rsk_protocolVersion', 'toString', '__proto__', ''), value),
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
    ...{ jsonrpc: fc.constant('2.0'), id: fc.nat(999), method: fc.constant(method) },
    params: paramsOf(method),
  }),
)

/** A right one, one with a member that is another or none, and what is no request. */
const request: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 16, arbitrary: right },
  {
    weight: 4,
    arbitrary: fc
      .tuple(right, fields, fc.option(value, { nil: undefined }))
      .map(([whole, field, other]) => ({ ...whole, [field]: other })),
  },
  { weight: 1, arbitrary: value },
)

function mutated(text: string): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> {
  const place = fc.nat(text.length)
  return fc.oneof(
    place.map((at) => text.slice(0, at)),
    fc
      .tuple(place, fc.nat(19), fc.constantFrom('', '{', ']', '"', ',', '\\', '\0', '1e999'))
      .map(([at, lost, added]) => text.slice(0, at) + added + text.slice(at + lost)),
    fc.tuple(place, fc.nat(255)).map(([at, byte]) => {
      return new Uint8Array(Buffer.from(text)).map((one, index) => (index === at ? byte : one))
    }),
    fc.nat(2_999).map((deep) => `${'['.repeat(deep)}${text}`),
  )
}

/** Requests that range from right to nonsense. */
export const randomRequest: fc.Arbitrary<RandomRequest> = fc.record({
  body: oneIn<unknown>(8, fc.array(request, { maxLength: 59, size: 'max' }), request)
    .map((body) => JSON.stringify(body) ?? '')
    .chain((text) => oneIn<RandomRequest['body']>(7, mutated(text), fc.constant(text))),
  contentType: oneIn(
    33,
    fc.constantFrom('text/plain', 'application/xml'),
    fc.constant('application/json'),
  ),
})

/** Creates a generator of random requests, the same ones for the same seed. */
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

/** A number may be one that JavaScript takes for infinite. */
const id = z.union([z.string(), z.custom<number>((one) => typeof one === 'number'), z.null()])
const error = z.looseObject({ code: z.int(), message: z.string() })
const envelope = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id, error }),
  z
    .strictObject({ jsonrpc: z.literal('2.0'), id, result: z.unknown() })
    .refine((answer) => 'result' in answer, 'it has neither a result nor an error'),
])

/** What is wrong with a response, if anything is. */
export function faultOfResponse(status: number, text: string): string | undefined {
  if (![200, 204, 400, 413, 415].includes(status)) return `status ${status}`
  if (status === 204) return text === '' ? undefined : 'a body with 204'
  const parsed = z.union([envelope, z.array(envelope).min(1)]).safeParse(parseJson(text))
  return parsed.success ? undefined : z.prettifyError(parsed.error)
}
