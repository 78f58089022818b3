import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { GatewayDeclaration } from '../../ussd/gateways/declaration.ts'
import { presets } from '../../ussd/gateways/presets.ts'
import { pageRoutes, showPage } from '../route.tsx'
import { browserJs, phoneCss } from './assets.ts'
import { authorize, type PhoneSecrets } from './authorize.ts'
import type { PhoneSetup } from './handset.ts'
import { createInbox } from './inbox.ts'

export type PhoneConfig = PhoneSecrets & {
  isDevelopment: boolean
  chain: { currency: string }
  menu: { profile: string }
  gateway: GatewayDeclaration | undefined
}

export type PhoneOptions = {
  /** Serves all other requests, with the screens of a profile. */
  relay: (request: Request, c: Context, profile?: string) => Response | Promise<Response>
  /** @throws {Error} the relay is misconfigured */
  config: (c: Context) => PhoneConfig
  /** Lists the profiles that the relay can serve; empty if it serves only its own. */
  profiles: readonly string[]
}

/** Creates an app that serves a relay, and in development a phone that dials the relay. */
export function createPhoneApp(options: PhoneOptions): Hono {
  const inbox = createInbox()
  const phone = pageRoutes()
  phone.get('/', (c) => {
    const { chain, menu, gateway } = options.config(c)
    const setup: PhoneSetup = {
      gateways: [...Object.values(presets), ...(gateway ? [gateway] : [])],
      profiles: options.profiles,
      profile: menu.profile,
      currency: chain.currency,
    }
    const content = <div id="phone" data-setup={JSON.stringify(setup)} />
    return showPage(c, content, { title: 'Phone', css: phoneCss, scriptPath: '/phone/browser.js' })
  })
  phone.get('/browser.js', (c) => c.body(browserJs, 200, { 'content-type': 'text/javascript' }))
  phone.get('/sms', (c) => c.json(inbox.messages()))
  phone.post('/sms', async (c) => c.json(inbox.receive(await c.req.parseBody(), Date.now()), 201))
  const app = new Hono()
  app.use(async (c, next) => {
    if (!isDevelopment(options, c)) return await options.relay(c.req.raw, c)
    return await next()
  })
  app.get('/', (c) => c.redirect('/phone'))
  app.route('/phone', phone)
  app.all('*', (c) =>
    options.relay(authorize(c.req.raw, options.config(c)), c, c.req.header('x-phone')),
  )
  return app
}

/** Tells whether the phone may be served; a misconfigured relay reports its own fault. */
function isDevelopment({ config }: PhoneOptions, c: Context): boolean {
  try {
    return config(c).isDevelopment
  } catch {
    return false
  }
}
