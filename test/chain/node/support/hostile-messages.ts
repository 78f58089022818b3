import type { Random } from '../../../../scripts/dev/random.ts'

type Make = (length: number) => string

function fill(length: number, unit: string | ((index: number) => string)): string {
  const parts: string[] = []
  for (let left = length; left > 0; left -= (parts.at(-1)?.length ?? 0) + 1) {
    parts.push(typeof unit === 'string' ? unit : unit(parts.length))
  }
  return parts.join(',')
}

const hex = (digits: number) => (index: number) => `"0x${index.toString(16).padStart(digits, 'a')}"`

const nested = (length: number, open: string, inner: string, close: string): string => {
  const depth = Math.max(1, Math.floor(length / (open.length + close.length)))
  return `${open.repeat(depth)}${inner}${close.repeat(depth)}`
}

/** Values that are large in each way in which JSON can be. */
export const hostileValues: Readonly<Record<string, Make>> = {
  numbers: (length) => `[${fill(length, '1')}]`,
  nulls: (length) => `[${fill(length, 'null')}]`,
  fractions: (length) => `[${fill(length, (index) => `0.1234567890123456${index}`)}]`,
  'tiny numbers': (length) => `[${fill(length, '1e-320')}]`,
  lists: (length) => `[${fill(length, '[]')}]`,
  objects: (length) => `[${fill(length, '{}')}]`,
  shapes: (length) => `[${fill(length, (index) => `{"k${index}":1}`)}]`,
  members: (length) => `{${fill(length, (index) => `"k${index}":1`)}}`,
  'numbered members': (length) => `{${fill(length, (index) => `"${index * 2048 + 7}":1`)}}`,
  'the same member': (length) => `{${fill(length, '"id":1.5')}}`,
  'deep lists': (length) => nested(length, '[', '', ']'),
  'deep objects': (length) => nested(length, '{"id":', '1.5', '}'),
  'a long number': (length) => '9'.repeat(length),
  'a long fraction': (length) => `0.${'3'.repeat(length)}`,
  'a long string': (length) => `"${'x'.repeat(length)}"`,
  escapes: (length) => `"${'\\u00e9'.repeat(length / 6)}"`,
  quotes: (length) => `"${'\\"'.repeat(length / 2)}"`,
  'lone surrogates': (length) => `"${'\\ud800'.repeat(length / 6)}"`,
  'wide characters': (length) => `"${'\u20ac'.repeat(length / 3)}"`,
  bytes: (length) => `"0x${'aB'.repeat(length / 2)}"`,
  'bytes that end badly': (length) => `"0x${'aB'.repeat(length / 2)}g"`,
  zeros: (length) => `"0x${'0'.repeat(length)}"`,
  hashes: (length) => `[${fill(length, hex(64))}]`,
  addresses: (length) => `[${fill(length, hex(40))}]`,
  // RLP: a list of single bytes, and one of empty lists, as a legacy transaction and as one with
  // blobs.
  'a transaction of bytes': (length) => rlpText('', '01', length),
  'a transaction of lists': (length) => rlpText('', 'c0', length),
  'blobs of bytes': (length) => rlpText('03', '01', length),
  'blobs of lists': (length) => rlpText('03', 'c0', length),
}

function rlpText(type: string, item: string, length: number): string {
  const most = type === '' ? Math.min(length, 262_000) : length
  const items = item.repeat(Math.max(28, Math.floor(most / 2) - 8))
  return `"0x${type}fa${(items.length / 2).toString(16).padStart(6, '0')}${items}"`
}

/** Lists the places of a request for a value: all that a method reads, and some it does not. */
export const hostilePlaces: Readonly<Record<string, (value: string) => string>> = {
  'a parameter': (value) => call('eth_getLogs', value),
  'params themselves': (value) => request(`"method":"eth_chainId","params":${value}`),
  'a method': (value) => request(`"method":${value}`),
  'a member of the request': (value) => request(`"method":"eth_chainId","more":${value}`),
  'the address of a filter': (value) => call('eth_getLogs', `{"address":${value}}`),
  'the topics of a filter': (value) => call('eth_getLogs', `{"topics":${value}}`),
  'a topic of a filter': (value) => call('eth_getLogs', `{"topics":[null,${value}]}`),
  'a member of a filter': (value) => call('eth_getLogs', `{"more":${value}}`),
  'the addresses of traces': (value) => call('trace_filter', `{"fromAddress":${value}}`),
  'the data of a call': (value) =>
    call('eth_call', `{"to":"0x${'11'.repeat(20)}","data":${value}},"latest"`),
  'the value of a call': (value) =>
    call('eth_call', `{"to":"0x${'11'.repeat(20)}","value":${value}},"latest"`),
  'a member of a call': (value) =>
    call('eth_call', `{"to":"0x${'11'.repeat(20)}","more":${value}},"latest"`),
  'a block': (value) => call('eth_getBlockByNumber', value),
  'a transaction': (value) => call('eth_sendRawTransaction', value),
  'what is hashed': (value) => call('web3_sha3', value),
  'a subscription': (value) => call('eth_subscribe', `"logs",{"topics":[${value}]}`),
  'a member of a subscription': (value) => call('eth_subscribe', `"logs",{"more":${value}}`),
  'what is unsubscribed': (value) => call('eth_unsubscribe', value),
}

const request = (members: string): string => `{"jsonrpc":"2.0","id":ID,${members}}`
const call = (method: string, params: string): string =>
  request(`"method":"${method}","params":[${params}]`)

/** Ids that are cheap to write, and what it costs to tell them back as they were written. */
export const hostileIds = [
  '1',
  '1.5',
  '1e400',
  '123456789012345678901234567890',
  '"\\ud800"',
] as const

/** Words of a hostile message, which say it again. */
export type HostilePlan = {
  value: string
  place: string
  id: string
  requests: number
  cut: boolean
}

/** Builds a planned message within the limit of bytes. */
export function hostileMessage(
  { value, place, id, requests, cut }: HostilePlan,
  bytes: number,
): string {
  const each = Math.max(0, Math.floor(bytes / requests) - 250)
  const made = hostileValues[value]?.(each) ?? 'null'
  const one = hostilePlaces[place]?.(made).replace('"id":ID', () => `"id":${id}`) ?? 'null'
  const text = requests === 1 ? one : `[${Array.from({ length: requests }, () => one).join(',')}]`
  return cut ? text.slice(0, -1) : text
}

/** Writes any value in any place; most requests make no sense, and must be refused cheaply. */
export function randomHostilePlan(random: Random): HostilePlan {
  return {
    value: random.pick(Object.keys(hostileValues)),
    place: random.pick(Object.keys(hostilePlaces)),
    id: random.pick(hostileIds),
    requests: random.pick([1, 8, 50]),
    cut: random.chance(0.05),
  }
}
