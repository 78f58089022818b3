import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Country } from '../account/phone.ts'
import type { Log } from '../runtime/log.ts'
import type { Answer } from './answer.ts'
import type { Gateway } from './gateways/gateway.ts'
import { english } from './messages/en.ts'
import { end, type Screen } from './screen.ts'

export type UssdRouteDeps = {
  gateway: Gateway
  answer: Answer
  /** Of the gateway's network: callers' numbers may come in its national form. */
  country?: Country | undefined
  /** Keeps work alive when the gateway hangs up. */
  background: (work: Promise<void>) => void
  log: Log
}

/** Far more than any session: the longest `text` that a gateway sends is a few hundred bytes. */
const maxBodyBytes = 8 * 1024

/** `POST /`: one delivery. A request that is not one is answered by a screen too, since a handset shows nothing else. */
export function ussdRoutes({ gateway, answer, country, background, log }: UssdRouteDeps): Hono {
  const routes = new Hono()
  const type = { 'content-type': gateway.contentType }
  const bodyOf = (screen: Screen) => gateway.render(screen)
  const bad = (says: string): string => {
    log({ level: 'error', event: 'gateway.bad', message: says, gateway: gateway.name })
    return bodyOf(end(says))
  }
  routes.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => c.body(bad('The request is too large.'), 200, type),
    }),
  )
  routes.post('/', async (c) => {
    const body = new TextDecoder().decode(await c.req.arrayBuffer())
    const parsed = gateway.parse({ contentType: c.req.header('content-type'), body }, country)
    switch (parsed.kind) {
      case 'bad':
        return c.body(bad(parsed.says), 200, type)
      case 'notice':
        return c.body('', 200, type)
      case 'request': {
        const answering = answer(parsed.request)
        background(answering.then(() => undefined))
        const { kind, screen } = await answering
        return c.body(bodyOf(screen), kind === 'screen' ? 200 : 503, type)
      }
    }
  })
  routes.all('/', (c) => {
    c.header('allow', 'POST')
    return c.body(bodyOf(end('Use POST.')), 405, type)
  })
  return routes
}

/** Stands in the place of a service that must not be open to all. */
export function closedRoutes({ render, contentType }: Gateway): Hono {
  const routes = new Hono()
  routes.all('/', (c) =>
    c.body(render(end(english.outOfService)), 503, { 'content-type': contentType }),
  )
  return routes
}
