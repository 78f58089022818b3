import { createServer, type Server } from 'node:http'
import { textOf } from '../../../scripts/dev/loopback-server.ts'
import { isObject } from '../../../scripts/dev/rootstock-pool/answers.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { bounds, httpStatus, refusals } from './quirks.ts'

export type Answer = (method: string, params: readonly unknown[]) => Promise<unknown>

/** A message and the code that RSKj takes its status of HTTP from. */
type Reply = { code: number; body: unknown }

/**
 * JSON-RPC over HTTP with RSKj's ways: its statuses, its envelopes for what cannot be read (the id
 * is the text "null", and none for a batch that is too long), an end of the connection after every
 * answer, and 501 to whatever is no POST, a WebSocket's request too.
 */
export function createHttpServer(answer: Answer): Server {
  const server = createServer(async (request, response) => {
    try {
      const text = await textOf(request)
      if (request.method !== 'POST') {
        response.writeHead(501, { connection: 'close' }).end()
        return
      }
      const reply = await replyTo(text, answer)
      const headers = { 'content-type': 'application/json', connection: 'close' }
      response.writeHead(httpStatus(reply.code), headers).end(JSON.stringify(reply.body))
    } catch {
      response.destroy()
    }
  })
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 501 Not Implemented\r\n\r\n'))
  return server
}

/** The answer to a message, over HTTP or WebSocket. */
export async function replyTo(text: string, answer: Answer): Promise<Reply> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return failure('null', new RpcError(-32700, 'JSON parse error'))
  }
  if (!Array.isArray(parsed)) return await replyToOne(parsed, answer)
  if (parsed.length > bounds.batch) {
    const message = `Cannot dispatch batch requests. ${bounds.batch} is the max number of supported batch requests`
    return { code: -32600, body: { error: { code: -32600, message } } }
  }
  const replies = await Promise.all(parsed.map((one) => replyToOne(one, answer)))
  return { code: 0, body: replies.map(({ body }) => body) }
}

async function replyToOne(request: unknown, answer: Answer): Promise<Reply> {
  if (!isObject(request) || typeof request.method !== 'string') {
    return failure('null', new RpcError(-32600, 'invalid request'))
  }
  const { id = null, method } = request
  try {
    const params = Array.isArray(request.params) ? request.params : []
    return { code: 0, body: { jsonrpc: '2.0', id, result: await answer(method, params) } }
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : refusals.fault())
  }
}

function failure(id: unknown, { code, message, data }: RpcError): Reply {
  const error = data === undefined ? { code, message } : { code, message, data }
  return { code, body: { jsonrpc: '2.0', id, error } }
}
