import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { RpcError } from '../chain/rpc.ts'
import type { Keys } from '../keys/api-keys.ts'
import { hashKey, parseBearerToken } from '../runtime/bearer.ts'
import type { Clock } from '../runtime/clock.ts'
import {
  type AdmissionOptions,
  answerMessage,
  type CustomerBudgets,
  createCustomerBudgets,
  createTooManyBytesError,
  type MessageOutcome,
  reportUnavailable,
} from './admission.ts'
import { codes } from './codes.ts'
import type { SocketServer } from './feed/options.ts'
import { formatError, type Message, parseMessage } from './message.ts'
import type { NodeService } from './service.ts'

/** Limits the body of a request; a transaction has at most 128 KB, which is 256 KB in hex. */
export const maxBodyBytes = 2 * 1024 * 1024

/** Allows any origin, since each request carries its key and cookies are not used. */
const corsHeaders = { 'access-control-allow-origin': '*' }

const jsonHeaders = { 'content-type': 'application/json', ...corsHeaders }

/** Lists the paths of requests, with the key in the path or in a header. */
const keyPaths = ['/', '/:key', '/:key/']

/** Hashes a request's key. The header is safer than the path: platforms do not log the header. */
const hashRequestKey = (c: Context): string =>
  hashKey(c.req.param('key') ?? parseBearerToken(c.req.header('authorization')))

export type NodeRouteOptions = Pick<AdmissionOptions, 'clock' | 'waitUntil' | 'log'> & {
  keys: Keys
  services: ReadonlyMap<number, NodeService>
  sockets?: SocketServer
}

/** Serves JSON-RPC 2.0 at `POST /<API_KEY>`, or at `POST /` with the key in a header. */
export function createNodeRoutes(options: NodeRouteOptions): Hono {
  const routes = new Hono()
  const budgets = createCustomerBudgets(options.clock)

  routes.options('*', (c) => {
    c.header('access-control-allow-methods', 'POST')
    c.header('access-control-allow-headers', 'content-type, authorization')
    c.header('access-control-max-age', '86400')
    return c.body(null, 204, corsHeaders)
  })

  routes.on('POST', keyPaths, (c) => answerPost(c, options, budgets))

  routes.on('GET', keyPaths, async (c, next) => {
    const isUpgrade = c.req.header('upgrade')?.toLowerCase() === 'websocket'
    if (!isUpgrade || options.sockets === undefined) return await next()
    return await acceptSocket(c, options, options.sockets)
  })

  routes.all('*', (c) => {
    if (c.req.method === 'POST') return refuseUnauthorized(c)
    c.header('allow', 'POST')
    return respondError(c, 405, codes.invalidRequest, 'use POST, or a WebSocket')
  })

  routes.onError((error, c) =>
    respondJson(c, 503, formatError('null', reportUnavailable(error, options.log))),
  )

  return routes
}

/** Answers a POST; checks the key before it reads the body. */
async function answerPost(c: Context, options: NodeRouteOptions, budgets: CustomerBudgets) {
  const { keys, services, clock, waitUntil, log } = options
  const key = await keys.lookup(hashRequestKey(c))
  if (key.kind === 'unknown') return refuseUnauthorized(c)
  const service = services.get(key.chainId)
  if (service === undefined) return refuseUnauthorized(c)

  if (!isJsonType(c.req.header('content-type'))) {
    return respondError(c, 415, codes.invalidRequest, 'content-type must be application/json')
  }
  let reserved = 0
  const reserve = (bytes: number): boolean => {
    if (!budgets.reserve(key.hash, bytes)) return false
    reserved += bytes
    return true
  }
  try {
    const text = await readText(c, reserve)
    if (typeof text !== 'string') return text
    await budgets.waitTurn(key.hash, reserved)
    const message = parseMessage(text)
    // Equal requests share one answer, which must arrive even if the first client disconnects.
    const caller = { service, clock, log, waitUntil, subscriptions: undefined }
    return respondToOutcome(c, message, await answerMessage(message, key, caller), clock)
  } finally {
    budgets.release(key.hash, reserved)
  }
}

function respondToOutcome(
  c: Context,
  message: Message,
  outcome: MessageOutcome,
  clock: Clock,
): Response {
  if (outcome.kind === 'refused') {
    const { status, error, resetAt } = outcome
    if (resetAt !== undefined) {
      const seconds = Math.ceil((resetAt.getTime() - clock.now()) / 1000)
      c.header('retry-after', `${Math.max(1, seconds)}`)
    }
    const id = message.kind === 'single' ? message.request.id : undefined
    return respondJson(c, status, formatError(id ?? 'null', error))
  }
  const { text } = outcome
  if (text === undefined) return c.body(null, 204, corsHeaders)
  const isInvalid = message.kind === 'single' && message.request.kind === 'invalid'
  return respondJson(c, isInvalid ? 400 : 200, text)
}

async function acceptSocket(
  c: Context,
  { keys, services }: NodeRouteOptions,
  sockets: SocketServer,
): Promise<Response> {
  const key = await keys.lookup(hashRequestKey(c))
  if (key.kind === 'unknown' || !services.has(key.chainId)) return refuseUnauthorized(c)
  const response = await sockets.accept(c.req.raw, key.hash, key.chainId)
  if (response.status === 401) return refuseUnauthorized(c)
  if (response.status !== 429) return response
  const message = `this key has at most ${key.maxSockets} connections`
  return respondError(c, 429, codes.limitExceeded, message)
}

/** Refuses a missing, malformed, unknown or revoked key with the same answer. */
function refuseUnauthorized(c: Context): Response {
  return respondError(c, 401, codes.unauthorized, 'no valid API key')
}

type Status = 200 | 400 | 401 | 405 | 413 | 415 | 429 | 503

function respondError(c: Context, status: Status, code: number, message: string): Response {
  return respondJson(c, status, formatError('null', new RpcError(code, message)))
}

function respondJson(c: Context, status: Status, text: string): Response {
  return c.body(text, status, jsonHeaders)
}

function isJsonType(contentType = ''): boolean {
  const [type = ''] = contentType.split(';')
  return /^application\/(?:json|json-rpc|jsonrequest)$/i.test(type.trim())
}

/** Reads the body, or refuses it; `reserve` tells whether so many more bytes fit. */
async function readText(c: Context, reserve: (bytes: number) => boolean) {
  const refuseTooLarge = () =>
    respondError(c, 413, codes.invalidRequest, `a request has at most ${maxBodyBytes} bytes`)
  const refuseOverBudget = () => respondJson(c, 429, formatError('null', createTooManyBytesError()))
  const declaredLength = Number(c.req.header('content-length') ?? 0)
  if (declaredLength > maxBodyBytes) return refuseTooLarge()
  // A body of a declared length is read in one step; the runtime enforces the length.
  if (declaredLength > 0)
    return reserve(declaredLength)
      ? decodeText(c, [await c.req.raw.arrayBuffer()])
      : refuseOverBudget()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of c.req.raw.body ?? []) {
    length += chunk.byteLength
    if (length > maxBodyBytes) return refuseTooLarge()
    if (!reserve(chunk.byteLength)) return refuseOverBudget()
    chunks.push(chunk)
  }
  return decodeText(c, chunks)
}

function decodeText(c: Context, chunks: readonly (Uint8Array | ArrayBuffer)[]): string | Response {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('')
    return text + decoder.decode()
  } catch {
    return respondError(c, 400, codes.parseError, 'JSON parse error: the body is not valid UTF-8')
  }
}
