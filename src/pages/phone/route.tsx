import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import { parseCaller } from '../../account/phone.ts'
import { parseJson } from '../../runtime/json.ts'
import type { GatewayDeclaration } from '../../ussd/gateways/declaration.ts'
import { pageRoutes, showPage } from '../route.tsx'
import { phoneCss, phoneJs } from './assets.ts'
import { createDeclaredForm } from './declared-form.ts'
import { type GatewayForm, gatewayForms } from './gateway-forms.ts'
import {
  addAnswer,
  addReply,
  deliveryModes,
  demoNumbers,
  hasEnded,
  isWaitingForAnswer,
  type PhoneSession,
  parseCodeAnswers,
  phoneSessions,
  type Step,
  startSession,
  writeRequest,
} from './handset.ts'
import { createInbox } from './inbox.ts'
import { type AskOperator, addIntents, readPayments } from './payment.ts'
import { PhonePage, type PhonePageOptions } from './views.tsx'

export type PhoneConfig = {
  isDevelopment: boolean
  operatorToken: string | undefined
  callbackSecret: string | undefined
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

const fields = z.object({
  action: z._default(z.string(), 'look'),
  number: z._default(z.string(), demoNumbers[0]),
  gateway: z._default(z.string(), 'africas-talking'),
  profile: z.optional(z.string()),
  typed: z._default(z.string().check(z.maxLength(160)), ''),
  mode: z._default(z.enum(deliveryModes), 'as usual'),
  sessions: z._default(z.pipe(z.pipe(z.string(), z.transform(parseJson)), phoneSessions), []),
})

type Fields = z.output<typeof fields>

/** Creates an app that serves a relay, and in development a phone that dials the relay. */
export function createPhoneApp(options: PhoneOptions): Hono {
  const inbox = createInbox()
  const phone = pageRoutes()
  phone.get('/', (c) => showPhone(c, fields.parse({})))
  phone.post('/', async (c) => {
    const input = fields.parse(await c.req.parseBody())
    return showPhone(c, { ...input, ...(await performAction(options, c, input)) })
  })
  phone.post('/sms', async (c) => c.json(inbox.receive(await c.req.parseBody(), Date.now()), 201))
  const app = new Hono()
  app.use(async (c, next) => {
    if (!isDevelopment(options, c)) return await options.relay(c.req.raw, c)
    return await next()
  })
  app.get('/', (c) => c.redirect('/phone'))
  app.route('/phone', phone)
  app.all('*', (c) => options.relay(c.req.raw, c))
  return app

  async function showPhone(
    c: Context,
    { fault, sessions: dialled, ...chosen }: Fields & { fault?: string },
  ) {
    const config = options.config(c)
    const ask = createAskOperator(options, c)
    const sessions = await addIntents(ask, dialled).catch(() => dialled)
    const pageOptions: PhonePageOptions = {
      sessions,
      fault,
      payments: await readPaymentsOrUnknown(ask, sessions),
      forms: listForms(config),
      profiles: options.profiles,
      currency: config.chain.currency,
      settings: { ...chosen, profile: chosen.profile ?? config.menu.profile },
      messages: inbox.messages(),
    }
    const assets = { css: phoneCss, js: phoneJs, refreshSeconds: 2 }
    return showPage(c, <PhonePage {...pageOptions} />, { title: 'Phone', ...assets })
  }
}

/** Maps the names of the served gateways to their forms. */
const listForms = ({ gateway }: PhoneConfig): Readonly<Record<string, GatewayForm>> => ({
  ...gatewayForms,
  ...(gateway && { [gateway.name]: createDeclaredForm(gateway) }),
})

/** Tells whether the phone may be served; a misconfigured relay reports its own fault. */
function isDevelopment({ config }: PhoneOptions, c: Context): boolean {
  try {
    return config(c).isDevelopment
  } catch {
    return false
  }
}

/** Does what a click asks for; `fault` tells why the click has no effect. */
async function performAction(
  options: PhoneOptions,
  c: Context,
  input: Fields,
): Promise<{ sessions: PhoneSession[]; fault?: string }> {
  const { action, typed, mode, sessions } = input
  const last = sessions.at(-1)
  const [verb, ...positions] = action.split(' ')
  if (verb === 'hangup' && last !== undefined) {
    return { sessions: sessions.with(-1, { ...last, endedAt: last.endedAt ?? Date.now() }) }
  }
  if (verb === 'deliver') {
    const [sessionIndex = 0, stepIndex = 0] = positions.map(Number)
    const delivery = { sessionIndex, stepIndex, replyState: 'answered' } as const
    return { sessions: await deliver(options, c, sessions, delivery) }
  }
  if (verb !== 'send') return { sessions }
  const isHeld = mode === 'deliver late'
  const replyState = isHeld ? 'held' : mode === 'lose the reply' ? 'lost' : 'answered'
  const next =
    last && isWaitingForAnswer(last)
      ? sessions.with(-1, addAnswer(last, typed, replyState))
      : dial(input, replyState)
  if (typeof next === 'string') return { sessions, fault: next }
  if (isHeld) return { sessions: next }
  const sessionIndex = next.length - 1
  const stepIndex = (next.at(-1)?.steps.length ?? 0) - 1
  return { sessions: await deliver(options, c, next, { sessionIndex, stepIndex, replyState }) }
}

/** Starts a session; returns a text if the number or the code is wrong. */
function dial(input: Fields, replyState: Step['replyState']): PhoneSession[] | string {
  const { number, gateway, profile = '', typed: code, sessions } = input
  const phone = parseCaller(number.trim())
  if (phone === undefined) return `A number has the form ${demoNumbers[0]}.`
  if (parseCodeAnswers(code) === undefined) return 'Dial *384#, or a code such as *384*1#.'
  const call = { phone, gateway, profile, startedAt: Date.now(), code }
  return startSession(sessions, call, replyState)
}

type StepDelivery = { sessionIndex: number; stepIndex: number; replyState: Step['replyState'] }

/** Delivers a step as its gateway does, with the same bytes each time. */
async function deliver(
  { relay, config }: PhoneOptions,
  c: Context,
  sessions: PhoneSession[],
  { sessionIndex, stepIndex, replyState }: StepDelivery,
): Promise<PhoneSession[]> {
  const session = sessions[sessionIndex]
  const step = session?.steps[stepIndex]
  const form = session && listForms(config(c))[session.gateway]
  if (session === undefined || form === undefined || step === undefined) return sessions
  const { path, contentType } = form
  const { callbackSecret } = config(c)
  const headers = {
    'content-type': contentType,
    ...(callbackSecret && { authorization: `Bearer ${callbackSecret}` }),
  }
  const init = { method: 'POST', headers, body: writeRequest(form, session, stepIndex) }
  const startedAt = Date.now()
  const response = await relay(new Request(new URL(path, c.req.url), init), c, session.profile)
  const reply = await response.text()
  const now = Date.now()
  const { status } = response
  const received = { status, reply, ...readReply(form, reply, session.id), tookMs: now - startedAt }
  const isLate = step.isLate || step.replyState === 'held'
  const delivery = { received, now, replyState, isLate } as const
  return sessions.with(sessionIndex, addReply(session, stepIndex, delivery))
}

/** Reads a reply; a reply in another form ends the session, as it does on a real phone. */
function readReply(form: GatewayForm, reply: string, session: string) {
  try {
    return form.parseReply(reply, session)
  } catch {
    return { screen: `END ${reply}`, gatewayState: '' }
  }
}

/** Reads the payments to show; `unknown` if the ledger does not answer. */
async function readPaymentsOrUnknown(
  ask: AskOperator,
  sessions: PhoneSession[],
): Promise<PhonePageOptions['payments']> {
  const last = sessions.at(-1)
  if (last === undefined) return undefined
  if (hasEnded(last) && last.intent === undefined) return 'unknown'
  return await readPayments(ask, sessions).catch(() => 'unknown' as const)
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
