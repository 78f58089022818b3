import type { IncomingMessage, ServerResponse } from 'node:http'
import { RpcError } from '../../../src/chain/rpc.ts'
import { startLoopbackServer, textOf } from '../loopback-server.ts'
import { httpStatus, isObject } from './answers.ts'

export type JsonRpcServer = { url: string; stop(): Promise<void> }

/** Serves JSON-RPC 2.0 over HTTP as RSKj does: errors of single requests have their HTTP status. */
export async function serveJsonRpc({
  port,
  maxBatch,
  answer,
}: {
  port: number
  maxBatch: number
  /** @throws {RpcError} what is answered as an error object */
  answer: (method: string, params: readonly unknown[]) => Promise<unknown>
}): Promise<JsonRpcServer> {
  const { url, close } = await startLoopbackServer(respond, port)
  return { url, stop: close }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await replyTo(await textOf(request))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

  async function replyTo(text: string): Promise<{ status: number; body: unknown }> {
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      return { status: 500, body: failure(null, new RpcError(-32700, 'JSON parse error')) }
    }
    if (!Array.isArray(parsed)) return replyToOne(parsed)
    if (parsed.length > maxBatch) {
      const message = `Cannot dispatch batch requests. ${maxBatch} is the max number of supported batch requests`
      return { status: 400, body: failure(null, new RpcError(-32600, message)) }
    }
    const replies = await Promise.all(parsed.map(replyToOne))
    return { status: 200, body: replies.map(({ body }) => body) }
  }

  async function replyToOne(request: unknown): Promise<{ status: number; body: unknown }> {
    const id = isObject(request) ? (request.id ?? null) : null
    try {
      if (!isObject(request) || typeof request.method !== 'string') {
        throw new RpcError(-32600, 'invalid request')
      }
      const params = Array.isArray(request.params) ? request.params : []
      return {
        status: 200,
        body: { jsonrpc: '2.0', id, result: await answer(request.method, params) },
      }
    } catch (error) {
      const fault =
        error instanceof RpcError ? error : new RpcError(-32603, 'Internal server error')
      return { status: httpStatus(fault.code), body: failure(id, fault) }
    }
  }
}

function failure(id: unknown, { code, message, data }: RpcError): unknown {
  return {
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  }
}
