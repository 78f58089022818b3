import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import type { Config } from '../../../../src/compose/config.ts'
import { pageRoutes, showPage } from '../../../../src/pages/route.tsx'
import { parseJson } from '../../../../src/runtime/json.ts'
import { africasTalking, hubtel } from '../../../../src/ussd/gateways/presets.ts'
import { phoneCss, phoneJs } from './assets.ts'
import { sessionNames } from './handset.ts'
import { type AskOperator, readPayments } from './payment.ts'
import { PhonePage } from './views.tsx'

export type PhoneOptions = {
  /** Serves all other requests, with the screens of a profile. */
  relay: (request: Request, c: Context, profile?: string) => Response | Promise<Response>
  /** @throws {Error} the relay is misconfigured */
  config: (c: Context) => Config
  /** Lists the profiles that the relay can serve; empty if it serves only its own. */
  profiles: readonly string[]
}

const sentMessage = z.object({ to: z.string(), message: z.string() })

/** Limits the stored messages, which are lost when the process ends. */
const maxMessages = 20

/** Creates an app that serves a relay, and in development a phone that dials the relay. */
export function createPhoneApp(options: PhoneOptions): Hono {
  let messages: readonly { to: string; text: string }[] = []
  const phone = pageRoutes()
  phone.on(['GET', 'POST'], '/', async (c) => {
    const { gateway, unit, menu } = options.config(c)
    const { sessions: posted = '[]' } = await c.req.parseBody()
    const sessions = sessionNames.parse(parseJson(`${posted}`))
    const payments = readPayments(createAskOperator(options, c), sessions)
    const page = (
      <PhonePage
        session={sessions.at(-1)}
        payments={await payments.catch(() => 'unknown' as const)}
        messages={messages}
        gateways={[africasTalking.declaration, hubtel.declaration, ...(gateway ? [gateway] : [])]}
        profiles={options.profiles}
        profile={menu.profile}
        unit={unit}
        sessionSeconds={menu.sessionSeconds}
        serviceCode={menu.shortCode ?? '*384#'}
      />
    )
    return showPage(c, page, { title: 'Phone', css: phoneCss, js: phoneJs, refreshSeconds: 2 })
  })
  // Stores a message and answers as Africa's Talking does; status 101 is a sent message.
  phone.post('/sms', async (c) => {
    const { to, message: text } = sentMessage.parse(await c.req.parseBody())
    messages = [{ to, text }, ...messages].slice(0, maxMessages)
    const recipient = { statusCode: 101, number: to, status: 'Success', cost: 'KES 0' }
    return c.json({ SMSMessageData: { Message: 'Sent to 1/1', Recipients: [recipient] } }, 201)
  })
  // Prices one unit as CoinGecko's "simple price" does, the same in every currency.
  phone.get('/rate', (c) => {
    const { unit, menu } = options.config(c)
    const price = unit.token === null ? 12_935_000 : 129.35
    const currency = menu.localCurrency?.toLowerCase() ?? ''
    const last_updated_at = Math.floor(Date.now() / 1_000)
    return c.json({ [unit.symbol]: { [currency]: price, last_updated_at } })
  })
  const app = new Hono()
  app.use(async (c, next) => {
    if (!isDevelopment(options, c)) return await options.relay(c.req.raw, c)
    return await next()
  })
  app.get('/', (c) => c.redirect('/phone'))
  app.route('/phone', phone)
  app.post('/ussd/:gateway?', (c) => deliver(options, c))
  app.all('*', (c) => options.relay(c.req.raw, c))
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

/**
 * Passes a delivery on; one of the page gets the gateway's secret, which the page does not know.
 * The page names its profile in a header that no page of another site can send.
 */
function deliver({ relay, config }: PhoneOptions, c: Context): Response | Promise<Response> {
  const profile = c.req.header('x-phone')
  const { callbackSecret } = config(c)
  if (profile === undefined || callbackSecret === undefined) return relay(c.req.raw, c, profile)
  const request = new Request(c.req.raw)
  request.headers.set('authorization', `Bearer ${callbackSecret}`)
  return relay(request, c, profile)
}

const createAskOperator =
  ({ relay, config }: PhoneOptions, c: Context): AskOperator =>
  async (path, body) => {
    const headers = { authorization: `Bearer ${config(c).operatorToken}` }
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await relay(new Request(new URL(path, c.req.url), { headers, ...init }), c)
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(`the operator's route answers ${response.status}`)
    return await response.json()
  }
