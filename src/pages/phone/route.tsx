import { type Context, Hono } from 'hono'
import { pageRoutes, showPage } from '../route.tsx'

export type PhoneRouteOptions = {
  /** Serves what is not of the phone. */
  relay: (request: Request, c: Context) => Response | Promise<Response>
}

/** Adds to a relay, in development, a phone that dials it. */
export function withPhone({ relay }: PhoneRouteOptions): Hono {
  const phone = pageRoutes()
  phone.get('/', (c) => showPage(c, <section>A phone.</section>, { title: 'Phone' }))
  const app = new Hono()
  app.get('/', (c) => c.redirect('/phone'))
  app.route('/phone', phone)
  app.all('*', (c) => relay(c.req.raw, c))
  return app
}
