import { type Context, Hono } from 'hono'
import { RpcError } from '../chain/rpc.ts'
import { codes, httpCodes } from './codes.ts'
import type { Keys, Spent } from './keys.ts'
import { errorText, parseMessage, type Request, successText } from './message.ts'
import type { NodeService } from './service.ts'

/** The largest request that is read. A transaction has at most 128 KB, twice that in hex. */
const maxBodyBytes = 2 * 1024 * 1024

/** No caller waits longer than 8 s; this leaves time for the answer's way. */
const timeLimitMs = 7_500

export type NodeRouteDeps = {
  keys: Keys
  /** The service of a network, if this deployment serves it. */
  services: ReadonlyMap<number, NodeService>
}

/** `POST /<API_KEY>`: JSON-RPC 2.0. */
export function nodeRoutes({ keys, services }: NodeRouteDeps): Hono {
  const routes = new Hono()

  routes.post('/:key', async (c) => {
    const key = await keys.check(c.req.param('key'))
    if (key.kind === 'unknown') return unauthorized(c)
    const service = services.get(key.chainId)
    if (service === undefined) return unauthorized(c)

    if (!isJson(c.req.header('content-type'))) {
      return refuse(c, 415, codes.invalidRequest, 'content-type must be application/json')
    }
    const text = await readText(c.req.raw, maxBodyBytes)
    if (text.kind === 'too_large') {
      return refuse(c, 413, codes.invalidRequest, `a request has at most ${maxBodyBytes} bytes`)
    }
    if (text.kind === 'not_text') return refuse(c, 400, codes.parseError, 'JSON parse error')

    const message = parseMessage(text.value)
    const spent = await key.spend(message.kind === 'batch' ? message.requests.length : 1)
    if (spent !== undefined) return overQuota(c, spent)

    switch (message.kind) {
      case 'refused':
        return json(c, 400, errorText('null', message.error))
      case 'single': {
        const answer = await respond(message.request, service, key.methods)
        if (answer === undefined) return c.body(null, 204)
        return json(c, message.request.kind === 'invalid' ? 400 : 200, answer)
      }
      case 'batch': {
        const answers = await Promise.all(
          message.requests.map((request) => respond(request, service, key.methods)),
        )
        const told = answers.filter((answer) => answer !== undefined)
        return told.length === 0 ? c.body(null, 204) : json(c, 200, `[${told.join(',')}]`)
      }
    }
  })

  routes.all('/:key', (c) => {
    c.header('allow', 'POST')
    return refuse(c, 405, codes.invalidRequest, 'use POST')
  })

  return routes
}

async function respond(
  request: Request,
  service: NodeService,
  allowed: ReadonlySet<string> | undefined,
): Promise<string | undefined> {
  if (request.kind === 'invalid') return errorText(request.id, request.error)
  const { id, method, params } = request
  try {
    if (allowed !== undefined && !allowed.has(method)) {
      throw new RpcError(codes.methodNotFound, 'method not allowed for this key')
    }
    const result = await service.answer(method, params, AbortSignal.timeout(timeLimitMs))
    return id === undefined ? undefined : successText(id, result)
  } catch (error) {
    if (id === undefined) return undefined
    return errorText(id, error instanceof RpcError ? error : noAnswer)
  }
}

const noAnswer = new RpcError(codes.timeout, 'no node gave an answer')

function unauthorized(c: Context): Response {
  return refuse(c, 401, httpCodes.unauthorized, 'unknown API key')
}

function overQuota(c: Context, { resetAt }: Spent): Response {
  c.header('retry-after', `${Math.max(1, Math.ceil((resetAt.getTime() - Date.now()) / 1000))}`)
  const message = `daily quota exceeded, resets at ${resetAt.toISOString()}`
  return refuse(c, 429, codes.limitExceeded, message)
}

type Status = 200 | 400 | 401 | 405 | 413 | 415 | 429

function refuse(c: Context, status: Status, code: number, message: string): Response {
  return json(c, status, errorText('null', new RpcError(code, message)))
}

function json(c: Context, status: Status, text: string): Response {
  return c.body(text, status, { 'content-type': 'application/json' })
}

function isJson(contentType = ''): boolean {
  const [type = ''] = contentType.split(';')
  return /^application\/(?:json|json-rpc|jsonrequest)$/i.test(type.trim())
}

type Text = { kind: 'text'; value: string } | { kind: 'too_large' } | { kind: 'not_text' }

async function readText(request: globalThis.Request, limit: number): Promise<Text> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return { kind: 'too_large' }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > limit) return { kind: 'too_large' }
    chunks.push(chunk)
  }
  try {
    const bytes = new Uint8Array(length)
    let offset = 0
    for (const chunk of chunks) {
      bytes.set(chunk, offset)
      offset += chunk.byteLength
    }
    return { kind: 'text', value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { kind: 'not_text' }
  }
}
