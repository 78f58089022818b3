import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RpcError } from '../../../src/chain/rpc.ts'
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
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

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

/** The whole body as text. */
export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
