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

/** Reads one JSON-RPC message. Whatever comes in, this does not throw. */
export function parseMessage(text: string): Message {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { kind: 'refused', error: new RpcError(codes.parseError, 'JSON parse error') }
  }
  if (!Array.isArray(body)) return { kind: 'single', request: parseRequest(body) }
  if (body.length === 0) return refusedBatch('invalid request: the batch is empty')
  if (body.length > maxBatch) {
    return refusedBatch(`invalid request: a batch holds at most ${maxBatch} requests`)
  }
  return { kind: 'batch', requests: body.map(parseRequest) }
}

/** A response with a result that is JSON text already. */
export function successText(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** A response with an error object. */
export function errorText(id: string, error: RpcError): string {
  const { code, message, data } = error
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

function parseRequest(value: unknown): Request {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('null', 'invalid request: not an object')
  }
  const { jsonrpc, method, params = [], id } = value as Record<string, unknown>
  if (!isId(id)) return invalid('null', 'invalid request: id must be a string, a number or null')
  const idText = JSON.stringify(id) as string | undefined
  if (jsonrpc !== '2.0') {
    return invalid(idText ?? 'null', 'invalid request: jsonrpc must be "2.0"')
  }
  if (typeof method !== 'string') {
    return invalid(idText ?? 'null', 'invalid request: method must be a string')
  }
  if (!Array.isArray(params)) {
    return {
      kind: 'invalid',
      id: idText ?? 'null',
      error: new RpcError(codes.invalidParams, 'params must be an array'),
    }
  }
  return { kind: 'call', id: idText, method, params }
}

function isId(id: unknown): boolean {
  return (
    id === undefined ||
    id === null ||
    typeof id === 'string' ||
    (typeof id === 'number' && Number.isFinite(id))
  )
}

function invalid(id: string, message: string): Request {
  return { kind: 'invalid', id, error: new RpcError(codes.invalidRequest, message) }
}

function refusedBatch(message: string): Message {
  return { kind: 'refused', error: new RpcError(codes.invalidRequest, message) }
}
