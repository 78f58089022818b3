import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Country } from '../account/phone.ts'
import type { Answer } from './answer.ts'
import { parseAfricasTalking } from './gateways/africas-talking.ts'
import { english } from './messages/en.ts'
import { end, renderPlain } from './screen.ts'

export type UssdRouteDeps = {
  answer: Answer
  /** Of the gateway's network: callers' numbers may come in its national form. */
  country?: Country | undefined
  /** Keeps work alive when the gateway hangs up. */
  background: (work: Promise<void>) => void
}

/** Far more than any session: the longest `text` that a gateway sends is a few hundred bytes. */
const maxBodyBytes = 8 * 1024

/** `POST /`: one delivery of Africa's Talking. */
export function ussdRoutes({ answer, country, background }: UssdRouteDeps): Hono {
  const routes = new Hono()
  routes.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (c) => c.text(renderPlain(end('The request is too large.')), 413, plain),
    }),
  )
  routes.post('/', async (c) => {
    const body = new TextDecoder().decode(await c.req.arrayBuffer())
    const parsed = parseAfricasTalking(c.req.header('content-type'), body, country)
    if (parsed.kind === 'bad') return c.text(renderPlain(end(parsed.says)), parsed.status, plain)
    const answering = answer(parsed.request)
    background(answering.then(() => undefined))
    const answered = await answering
    return c.text(answered.body, answered.kind === 'screen' ? 200 : 503, plain)
  })
  routes.all('/', (c) => {
    c.header('allow', 'POST')
    return c.text(renderPlain(end('Use POST.')), 405, plain)
  })
  return routes
}

/** Stands in the place of a service that must not be open to all. */
export function closedRoutes(): Hono {
  const routes = new Hono()
  routes.all('/', (c) => c.text(renderPlain(end(english.outOfService)), 503, plain))
  return routes
}

const plain = { 'content-type': 'text/plain; charset=utf-8' }
