import type { IncomingMessage, ServerResponse } from 'node:http'
import { RpcError } from '../../../src/chain/rpc.ts'
import { isObject, parseJson } from '../../../src/runtime/json.ts'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { internalFault } from './refusals.ts'

/** Answers one call. @throws {RpcError} is answered as an error object */
export type Answer = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Holds an answer and the code from which RSKj derives the HTTP status. */
type Reply = { code: number; body: unknown }

/** `rpc.providers.web.max_batch_requests_size` in RSKj's `reference.conf`. */
const maxBatch = 50

/** Serves JSON-RPC over HTTP with the statuses and envelopes seen of a real RSKj 9.0.3. */
export async function serveJsonRpc(answer: Answer) {
  const { url, http, close } = await startLoopbackServer(respond)
  http.on('upgrade', (_, socket) => socket.end('HTTP/1.1 501 Not Implemented\r\n\r\n'))
  return { url, stop: close }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request)
    if (request.method !== 'POST') {
      response.writeHead(501, { connection: 'close' }).end()
      return
    }
    const { code, body } = await replyTo(text)
    const status = [-32700, -32600, -32602].includes(code) ? 400 : 200
    const headers = { 'content-type': 'application/json', connection: 'close' }
    response.writeHead(status, headers).end(JSON.stringify(body))
  }

  async function replyTo(text: string): Promise<Reply> {
    const parsed = parseJson(text)
    if (parsed === undefined) return failure('null', new RpcError(-32700, 'JSON parse error'))
    if (!Array.isArray(parsed)) return replyToOne(parsed)
    if (parsed.length > maxBatch) {
      const message = `Cannot dispatch batch requests. ${maxBatch} is the max number of supported batch requests`
      return { code: -32600, body: { error: { code: -32600, message } } }
    }
    const replies = await Promise.all(parsed.map(replyToOne))
    return { code: 0, body: replies.map(({ body }) => body) }
  }

  async function replyToOne(request: unknown): Promise<Reply> {
    if (!isObject(request) || typeof request.method !== 'string') {
      return failure('null', new RpcError(-32600, 'invalid request'))
    }
    const { id = null, method } = request
    try {
      const params = Array.isArray(request.params) ? request.params : []
      return { code: 0, body: { jsonrpc: '2.0', id, result: await answer(method, params) } }
    } catch (error) {
      return failure(id, error instanceof RpcError ? error : internalFault())
    }
  }
}

function failure(id: unknown, { code, message, data }: RpcError): Reply {
  const error = data === undefined ? { code, message } : { code, message, data }
  return { code, body: { jsonrpc: '2.0', id, error } }
}
