import type { Random } from '../../../scripts/dev/random.ts'
import { methods } from '../../../src/node/methods/list.ts'

/** What a hostile or broken client may put into the body of a request. */
export type RandomRequest = { body: string | Uint8Array<ArrayBuffer>; contentType: string }

/** Makes requests that range from right to nonsense, the same ones for the same seed. */
export function createRandomRequests(random: Random): () => RandomRequest {
  const below = (limit: number): number => random.int(0, limit - 1)
  const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const chance = (share: number): boolean => random.chance(share)

  const hex = (digits: number): string =>
    `0x${Array.from({ length: digits }, () => below(16).toString(16)).join('')}`
  const scalars: (() => unknown)[] = [
    () => hex(64),
    () => hex(40),
    () => hex(below(130)),
    () => `0x${below(40).toString(16)}`,
    () => oneOf(['latest', 'earliest', 'pending', 'safe', 'finalized', '']),
    () => below(1_000),
    () => -below(1_000),
    () => random.next() * 1e300,
    () => oneOf([null, true, false, '0x', '0X1', 'x', '\0', '\ud800', '💩', '__proto__']),
    () => 'x'.repeat(below(2_000)),
    () => Number.MAX_SAFE_INTEGER + below(10),
  ]

  function value(depth = 0): unknown {
    if (depth > 4 || chance(0.6)) return oneOf(scalars)()
    if (chance(0.5)) return Array.from({ length: below(5) }, () => value(depth + 1))
    return Object.fromEntries(Array.from({ length: below(5) }, () => [member(), value(depth + 1)]))
  }

  function member(): string {
    return oneOf([
      'to',
      'from',
      'data',
      'input',
      'value',
      'gas',
      'gasPrice',
      'fromBlock',
      'toBlock',
      'blockHash',
      'address',
      'topics',
      'fromAddress',
      'toAddress',
      'after',
      'count',
      'id',
      'jsonrpc',
      'method',
      'params',
      '__proto__',
      'constructor',
      'blockNumber',
      'requireCanonical',
      '',
    ])
  }

  function methodName(): unknown {
    if (chance(0.85)) return oneOf(methods).name
    return chance(0.7)
      ? oneOf([
          'eth_',
          'rsk_protocolVersion',
          'anvil_mine',
          'toString',
          '__proto__',
          '',
          'x'.repeat(999),
        ])
      : value()
  }

  function plausibleParams(name: unknown): unknown[] {
    const method = methods.find((one) => one.name === name)
    const params = Object.keys(method?.params ?? {}).map((param): unknown => {
      switch (param) {
        case 'address':
          return hex(40)
        case 'hash':
        case 'blockHash':
        case 'transactionHash':
          return hex(64)
        case 'block':
          return oneOf([`0x${below(20).toString(16)}`, 'latest', 'earliest', 'pending', hex(64)])
        case 'full':
          return chance(0.5)
        case 'call':
          return { to: hex(40), ...(chance(0.5) ? { data: hex(2 * below(40)), value: '0x0' } : {}) }
        case 'filter':
          return { fromBlock: `0x${below(9).toString(16)}`, toBlock: 'latest', address: hex(40) }
        default:
          return value()
      }
    })
    const mutated = params.map((param) => (chance(0.15) ? value() : param))
    return chance(0.1) ? [...mutated, value()] : mutated.slice(0, chance(0.1) ? below(3) : 9)
  }

  function request(): unknown {
    if (chance(0.05)) return value()
    const method = methodName()
    const params = chance(0.85) ? plausibleParams(method) : value()
    const whole: Record<string, unknown> = { jsonrpc: '2.0', id: below(1_000), method, params }
    if (chance(0.1)) delete whole[oneOf(['jsonrpc', 'id', 'method', 'params'])]
    if (chance(0.1)) whole[oneOf(['jsonrpc', 'id', 'method', 'params', 'more'])] = value()
    return whole
  }

  function mutate(text: string): string | Uint8Array<ArrayBuffer> {
    const at = below(text.length + 1)
    switch (below(6)) {
      case 0:
        return text.slice(0, at)
      case 1:
        return (
          text.slice(0, at) +
          oneOf(['{', '}', '[', ']', '"', ',', ':', '\\', '\0', '1e999']) +
          text.slice(at)
        )
      case 2:
        return text.slice(0, at) + text.slice(at + 1 + below(20))
      case 3:
        return text + text
      case 4: {
        const bytes = new Uint8Array(Buffer.from(text))
        if (bytes.length > 0) bytes[below(bytes.length)] = below(256)
        return bytes
      }
      default:
        return `${'['.repeat(below(3_000))}${text}`
    }
  }

  return () => {
    const body = chance(0.12) ? Array.from({ length: below(60) }, request) : request()
    const text = JSON.stringify(body) ?? ''
    return {
      body: chance(0.15) ? mutate(text) : text,
      contentType: chance(0.97) ? 'application/json' : oneOf(['text/plain', 'application/xml']),
    }
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
