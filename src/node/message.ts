import { RpcError } from '../chain/rpc.ts'
import { codes } from './codes.ts'

/** A request as JSON-RPC 2.0 has it; `id` is the JSON text to echo, `undefined` in a notification. */
export type Request =
  | { kind: 'call'; id: string | undefined; method: string; params: readonly unknown[] }
  | { kind: 'invalid'; id: string; error: RpcError }

export type Message =
  | { kind: 'single'; request: Request }
  | { kind: 'batch'; requests: readonly Request[] }
  | { kind: 'refused'; error: RpcError }

/** How many requests one batch may hold; RSKj's own limit. */
export const maxBatch = 50

/** Reads one JSON-RPC message. Never throws. */
export function parseMessage(text: string): Message {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { kind: 'refused', error: new RpcError(codes.parseError, 'JSON parse error') }
  }
  if (!Array.isArray(body)) return { kind: 'single', request: parseRequest(body, text) }
  if (body.length === 0) return refusedBatch('invalid request: the batch is empty')
  if (body.length > maxBatch) {
    return refusedBatch(`invalid request: a batch holds at most ${maxBatch} requests`)
  }
  return { kind: 'batch', requests: body.map((one, index) => parseRequest(one, text, index)) }
}

/** A response with a result that is JSON text already. */
export function successText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** A response with an error object. */
export function errorText(id: string, { code, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** A notification of a subscription (geth's `eth_subscription`), its result being JSON text. */
export function notificationText(subscription: string, result: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":${result}}}`
}

function parseRequest(value: unknown, text: string, index?: number): Request {
  if (!isObject(value)) return invalid('null', 'not an object')
  const { jsonrpc, method, params, id } = value
  if (!isId(id)) return invalid('null', 'id must be a string, a number or null')
  const idText = textOf(id, text, index)
  if (jsonrpc !== '2.0') return invalid(idText ?? 'null', 'jsonrpc must be "2.0"')
  if (typeof method !== 'string') return invalid(idText ?? 'null', 'method must be a string')
  // Some clients write `null` for a member that may be left out.
  const given = params ?? []
  if (!Array.isArray(given)) {
    const error = new RpcError(codes.invalidParams, 'params must be an array')
    return { kind: 'invalid', id: idText ?? 'null', error }
  }
  return { kind: 'call', id: idText, method, params: given }
}

function isId(id: unknown): id is string | number | null | undefined {
  return id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
}

/** The id as it was written: a number that JavaScript cannot hold comes back unchanged. */
function textOf(
  id: string | number | null | undefined,
  text: string,
  index: number | undefined,
): string | undefined {
  if (id === undefined) return undefined
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return JSON.stringify(id)
  const sources = JSON.parse(text, (key, value: unknown, context?: { source?: string }) =>
    key === 'id' && typeof value === 'number' ? { source: context?.source } : value,
  )
  const source = (index === undefined ? sources : sources[index])?.id?.source
  return typeof source === 'string' ? source : 'null'
}

function invalid(id: string, message: string): Request {
  return {
    kind: 'invalid',
    id,
    error: new RpcError(codes.invalidRequest, `invalid request: ${message}`),
  }
}

function refusedBatch(message: string): Message {
  return { kind: 'refused', error: new RpcError(codes.invalidRequest, message) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
