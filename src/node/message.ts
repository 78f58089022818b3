import { RpcError } from '../chain/rpc.ts'
import { isObject, parseJson } from '../runtime/json.ts'
import { codes } from './codes.ts'

/** Describes a JSON-RPC 2.0 request; `id` is JSON text to echo, undefined in a notification. */
export type RpcRequest =
  | { kind: 'call'; id: string | undefined; method: string; params: readonly unknown[] }
  | { kind: 'invalid'; id: string; error: RpcError }

export type Message =
  | { kind: 'single'; request: RpcRequest }
  | { kind: 'batch'; requests: readonly RpcRequest[] }
  | { kind: 'refused'; error: RpcError }

/** Limits the requests of a batch to what ethers sends in one (`batchMaxCount`). */
export const maxBatchRequests = 100

/** Limits the values of a message. For comparison, 2 MB of addresses hold about a third of this. */
export const maxValues = 131_072

/** Reads one JSON-RPC message. Never throws. */
export function parseMessage(text: string): Message {
  let outline = text.length > maxValues ? measureMessage(text) : undefined
  if (outline !== undefined && outline.minValueCount > maxValues) {
    return createRefusedMessage(`invalid request: a message holds at most ${maxValues} values`)
  }
  const findNumericId = (index: number) => {
    outline ??= measureMessage(text)
    return outline.numericIds.get(index)
  }
  const body = parseJson(text)
  if (body === undefined) return createRefusedMessage('JSON parse error', codes.parseError)
  if (!Array.isArray(body)) {
    return { kind: 'single', request: parseRequest(body, () => findNumericId(0)) }
  }
  if (body.length === 0) return createRefusedMessage('invalid request: the batch is empty')
  const requests = body.map((item, index) => parseRequest(item, () => findNumericId(index)))
  if (body.length <= maxBatchRequests) return { kind: 'batch', requests }
  const words = `a batch holds at most ${maxBatchRequests} requests, this one has ${body.length}`
  return { kind: 'batch', requests: requests.map(({ id }) => createInvalidRequest(id, words)) }
}

export function formatSuccess(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function formatError(id: string, { code, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** Returns a subscription's notification (geth's `eth_subscription`) for a result in JSON text. */
export function formatNotification(subscription: string, result: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}","result":${result}}}`
}

/** Parses a request; `findWrittenId` returns its numeric id as the client wrote it. */
function parseRequest(value: unknown, findWrittenId: () => string | undefined): RpcRequest {
  if (!isObject(value)) return createInvalidRequest(undefined, 'not an object')
  const { jsonrpc, method, params, id } = value
  if (!isId(id)) return createInvalidRequest(undefined, 'id must be a string, a number or null')
  const idText = writeId(id, findWrittenId)
  if (jsonrpc !== '2.0') return createInvalidRequest(idText, 'jsonrpc must be "2.0"')
  if (typeof method !== 'string') return createInvalidRequest(idText, 'method must be a string')
  // Some clients send `null` for an omitted member.
  const paramList = params ?? []
  if (Array.isArray(paramList)) return { kind: 'call', id: idText, method, params: paramList }
  const error = new RpcError(codes.invalidParams, 'params must be an array')
  return { kind: 'invalid', id: idText ?? 'null', error }
}

function isId(id: unknown): id is string | number | null | undefined {
  return id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
}

/** Returns the id exactly as sent, even a number that JavaScript cannot represent. */
function writeId(id: string | number | null | undefined, findWrittenId: () => string | undefined) {
  if (id === undefined) return undefined
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return JSON.stringify(id)
  return findWrittenId() ?? 'null'
}

/** Matches an id only at `lastIndex`, since it is sticky; JSON may write its name in escapes. */
const idPattern = /"(?:i|\\u0069)(?:d|\\u0064)"[ \t\r\n]*:[ \t\r\n]*([-+.\deE]*)/y

/**
 * Finds the least number of values that a message can hold, and its requests' numeric ids, without
 * parsing it. They are true only if the text is valid JSON.
 */
function measureMessage(text: string) {
  const numericIds = new Map<number, string>()
  const memberDepth = /^[ \t\r\n]*\[/.test(text) ? 2 : 1
  let minValueCount = 1
  let depth = 0
  let requestIndex = 0
  for (let position = 0; position < text.length; position += 1) {
    switch (text[position]) {
      case '"':
        idPattern.lastIndex = position
        if (depth === memberDepth) {
          const number = idPattern.exec(text)?.[1]
          // If the id is repeated, the last one counts, as in JSON.parse.
          if (number !== undefined) numericIds.set(requestIndex, number)
        }
        position = findStringEnd(text, position)
        break
      case '[':
      case '{':
        minValueCount += 1
        depth += 1
        break
      case ']':
      case '}':
        depth -= 1
        break
      case ',':
        minValueCount += 1
        if (depth < memberDepth) requestIndex += 1
    }
  }
  return { minValueCount, numericIds }
}

function findStringEnd(text: string, start: number): number {
  let position = start + 1
  while (position < text.length && text[position] !== '"')
    position += text[position] === '\\' ? 2 : 1
  return position
}

function createInvalidRequest(id = 'null', message: string): RpcRequest {
  const error = new RpcError(codes.invalidRequest, `invalid request: ${message}`)
  return { kind: 'invalid', id, error }
}

function createRefusedMessage(message: string, code: number = codes.invalidRequest): Message {
  return { kind: 'refused', error: new RpcError(code, message) }
}
