import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { Country } from '../account/phone.ts'
import type { Log } from '../runtime/log.ts'
import { isInNetworks } from '../runtime/peer.ts'
import type { CarriedText } from './gateways/carried-text.ts'
import type { Gateway, ParsedRequest, ReplyTo } from './gateways/gateway.ts'
import type { RequestCounters } from './gateways/request-counters.ts'
import type { UssdHandler, UssdReply } from './handler.ts'
import { english } from './messages/en.ts'
import { endScreen } from './screens/screen.ts'

export type UssdRouteOptions = {
  gateway: Gateway
  handler: UssdHandler
  carriedText: CarriedText
  /** Accepts callers' numbers in this country's national form. */
  country?: Country | undefined
  /** Lists the addresses that may deliver; undefined if the operator restricts none. */
  addresses?: Parameters<typeof isInNetworks>[0] | undefined
  findPeer?: FindPeer | undefined
  waitUntil: (work: Promise<void>) => void
  counters: RequestCounters
  log: Log
}

/** Returns the address that a request came from, as the runtime reports it. */
export type FindPeer = (request: Request, env: unknown) => string | undefined

const maxBodyBytes = 8 * 1024

/** Serves a gateway's deliveries. Errors are screens too, because phones show nothing else. */
export function createUssdRoutes(options: UssdRouteOptions): Hono {
  const { gateway, country, addresses, findPeer, counters, log } = options
  const routes = new Hono()
  const headers = { 'content-type': gateway.contentType }
  const renderError = (message: string, to?: ReplyTo): string => {
    log({ level: 'error', event: 'gateway.bad', message, gateway: gateway.name })
    counters.add(gateway.name, 'bad')
    return gateway.render(endScreen(message), to)
  }
  const onError = (c: Context) => c.body(renderError('The request is too large.'), 200, headers)
  if (addresses !== undefined) {
    routes.use(async (c, next) => {
      if (isInNetworks(addresses, findPeer?.(c.req.raw, c.env))) return await next()
      return c.body(renderError('Requests from this address are not served.'), 403, headers)
    })
  }
  routes.use(bodyLimit({ maxSize: maxBodyBytes, onError }))
  routes.post('/', async (c) => {
    const body = new TextDecoder().decode(await c.req.arrayBuffer())
    const parsed = gateway.parse({ contentType: c.req.header('content-type'), body }, country)
    if (parsed.kind === 'invalid') return c.body(renderError(parsed.message), 200, headers)
    if (parsed.kind === 'notice') return c.body('', 200, headers)
    counters.add(gateway.name, 'delivery')
    const reply = await createReply(options, parsed)
    if (reply === undefined) {
      const { sessionId } = parsed.session
      return c.body(renderError(english.sessionEnded, { sessionId }), 200, headers)
    }
    if (reply.kind === 'screen') counters.add(gateway.name, 'reply')
    return c.body(reply.body, reply.kind === 'screen' ? 200 : 503, headers)
  })
  routes.all('/', (c) => {
    c.header('allow', 'POST')
    return c.body(gateway.render(endScreen('Use POST.')), 405, headers)
  })
  return routes
}

/** Creates the reply; undefined if the carried text is forged, since earlier answers are lost. */
async function createReply(
  options: UssdRouteOptions,
  delivery: Extract<ParsedRequest, { session: unknown }>,
): Promise<{ kind: UssdReply['kind']; body: string } | undefined> {
  const { gateway, handler, carriedText, waitUntil } = options
  const { session } = delivery
  const hasText = delivery.kind === 'request'
  const text = hasText ? delivery.text : await carriedText.read(session, delivery.last)
  if (text === undefined) return undefined
  const step = hasText ? delivery.step : undefined
  const reply = handler({ ...session, text, step })
  waitUntil(reply.then(() => undefined))
  const { kind, screen } = await reply
  const to = { sessionId: session.sessionId }
  if (hasText || screen.kind === 'end') return { kind, body: gateway.render(screen, to) }
  const carried = await carriedText.write(session, text)
  return { kind, body: gateway.render(screen, { ...to, carried }) }
}

/** Refuses all deliveries, for a deployment that must not be open to everyone. */
export function createClosedRoutes({ render, contentType }: Gateway): Hono {
  const routes = new Hono()
  routes.all('/', (c) =>
    c.body(render(endScreen(english.outOfService)), 503, { 'content-type': contentType }),
  )
  return routes
}
