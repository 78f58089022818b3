import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { Country } from '../account/phone.ts'
import type { Log } from '../runtime/log.ts'
import { isIn } from '../runtime/peer.ts'
import type { CarriedText } from './gateways/carried-text.ts'
import type { Gateway, ParsedRequest, ReplyTo } from './gateways/gateway.ts'
import type { Tally } from './gateways/tally.ts'
import type { UssdHandler } from './handler.ts'
import { english } from './messages/en.ts'
import { endScreen } from './screens/screen.ts'

export type UssdRouteOptions = {
  gateway: Gateway
  answer: UssdHandler
  carriedText: CarriedText
  /** Accepts callers' numbers in this country's national form. */
  country?: Country | undefined
  /** Lists the addresses that may deliver, if the operator set any. */
  addresses?: Parameters<typeof isIn>[0] | undefined
  findPeer?: FindPeer | undefined
  background: (work: Promise<void>) => void
  tally: Tally
  log: Log
}

/** Returns the address that a request came from, as the runtime reports it. */
export type FindPeer = (request: Request, given: unknown) => string | undefined

const maxBodyBytes = 8 * 1024

/** Serves deliveries; a bad request gets a screen too, since a handset shows nothing else. */
export function ussdRoutes(options: UssdRouteOptions): Hono {
  const { gateway, country, addresses, findPeer, tally, log } = options
  const routes = new Hono()
  const type = { 'content-type': gateway.contentType }
  const bad = (says: string, to?: ReplyTo): string => {
    log({ level: 'error', event: 'gateway.bad', message: says, gateway: gateway.name })
    tally.add(gateway.name, 'bad')
    return gateway.render(endScreen(says), to)
  }
  const onError = (c: Context) => c.body(bad('The request is too large.'), 200, type)
  if (addresses !== undefined) {
    routes.use(async (c, next) => {
      if (isIn(addresses, findPeer?.(c.req.raw, c.env))) return await next()
      return c.body(bad('Requests from this address are not served.'), 403, type)
    })
  }
  routes.use(bodyLimit({ maxSize: maxBodyBytes, onError }))
  routes.post('/', async (c) => {
    const body = new TextDecoder().decode(await c.req.arrayBuffer())
    const parsed = gateway.parse({ contentType: c.req.header('content-type'), body }, country)
    if (parsed.kind === 'bad') return c.body(bad(parsed.says), 200, type)
    if (parsed.kind === 'notice') return c.body('', 200, type)
    tally.add(gateway.name, 'delivery')
    const reply = await createReply(options, parsed)
    const { sessionId } = parsed.session
    // Forged or sealed under another secret: the earlier answers are unknown, so start nothing.
    if (reply === undefined) return c.body(bad(english.sessionEnded, { sessionId }), 200, type)
    if (reply.kind === 'screen') tally.add(gateway.name, 'reply')
    return c.body(reply.body, reply.kind === 'screen' ? 200 : 503, type)
  })
  routes.all('/', (c) => {
    c.header('allow', 'POST')
    return c.body(gateway.render(endScreen('Use POST.')), 405, type)
  })
  return routes
}

/** Returns what a reply needs; undefined if the delivery answers no reply of this service. */
async function createReply(
  of: UssdRouteOptions,
  delivery: Extract<ParsedRequest, { session: unknown }>,
) {
  const { gateway, answer, carriedText, background } = of
  const { session } = delivery
  const isWhole = delivery.kind === 'request'
  const text = isWhole ? delivery.text : await carriedText.read(session, delivery.last)
  if (text === undefined) return undefined
  const answering = answer({ ...session, text, step: isWhole ? delivery.step : undefined })
  background(answering.then(() => undefined))
  const { kind, screen } = await answering
  const carries = delivery.kind === 'step' && screen.kind === 'ask'
  const carried = carries ? { carried: await carriedText.write(session, text) } : {}
  return { kind, body: gateway.render(screen, { sessionId: session.sessionId, ...carried }) }
}

/** Refuses all deliveries where the service must not be open to everyone. */
export function closedRoutes({ render, contentType }: Gateway): Hono {
  const routes = new Hono()
  routes.all('/', (c) =>
    c.body(render(endScreen(english.outOfService)), 503, { 'content-type': contentType }),
  )
  return routes
}
