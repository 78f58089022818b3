import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Child } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import type { Hex } from 'viem'
import * as z from 'zod/mini'
import type { Secret } from '../../account/secrets.ts'
import type { Unit } from '../../loan/amounts.ts'
import { describeLack, findLackingRole, type NamedOperator } from '../../operator/access.ts'
import { nothingFits } from '../../operator/remedies.ts'
import { loansQuery } from '../../operator/schemas/loans.ts'
import { paymentsQuery } from '../../operator/schemas/payments.ts'
import type { StatusAnswer } from '../../operator/schemas/status.ts'
import type { Operator } from '../../operator/service.ts'
import type { Clock } from '../../runtime/clock.ts'
import { describeFault, type Log } from '../../runtime/log.ts'
import { toUtc } from '../../runtime/time-zone.ts'
import { pageRoutes, showPage } from '../route.tsx'
import { Alerts, Audit, KeyList, Loans, People, type ShownKey, System } from './lists.tsx'
import { Overview } from './overview.tsx'
import { Payments, PaymentView } from './payments.tsx'
import { type ConsoleSession, createSignIns } from './session.ts'
import { ConsoleMenu, consolePages, type NamedPage, NoAnswer, SignIn } from './state.tsx'
import { describeConfirmation, type Found, Support } from './support.tsx'
import '../../runtime/english.ts'

export type ConsoleOptions = {
  operator: Operator
  operators: readonly NamedOperator[]
  sessionSecret: Secret
  keys: () => Promise<readonly ShownKey[]>
  clock: Pick<Clock, 'now'>
  log: Log
  /** Names where callers live: pages tell times in it. UTC if it is not set. */
  timeZone?: string | undefined
}

type PageRequest = {
  c: Context
  session: ConsoleSession
  status: StatusAnswer
  unit: Unit
  timeZone: string
}

const supportPage: NamedPage = ['Support', 'POST /operator/find', '/support']
const noPage: NamedPage = ['No such page', 'GET /operator/status', '']
const accountPath = '/accounts/:account{0x[0-9a-fA-F]{40}}'
const paymentPath = '/payments/:intent{0x[0-9a-f]{44}}'
const otherPages: Readonly<Record<string, NamedPage>> = {
  [accountPath]: ['Account', 'GET /operator/payments', '/support'],
  [paymentPath]: ['Payment', 'GET /operator/payments/:intent', '/payments'],
}
const maxBodyBytes = 4 * 1024
const refreshSeconds = 5
/** Limits the payments that a look-up shows in detail, because each costs a node request. */
const maxDetails = 5
const cookieName = 'console'

const form = z.object({
  csrf: z._default(z.string(), ''),
  token: z._default(z.string(), ''),
  text: z._default(z.string().check(z.maxLength(80)), ''),
  phone: z._default(z.string().check(z.maxLength(40)), ''),
  act: z.optional(z.enum(['hold', 'release', 'unblock', 'keep-pin'])),
  reason: z.optional(z.string().check(z.trim())),
  confirmation: z._default(z.string(), ''),
})

/** Serves the console: pages that show the operator's answers, and actions on an account. */
export function consoleRoutes(options: ConsoleOptions): Hono {
  const { operators, log, timeZone = 'UTC' } = options
  const app = new Hono()
  // Nobody could sign in without a token.
  if (operators.length === 0) return app
  const routes = pageRoutes()
  const sessions = createSignIns(options)
  const setCookie = (c: Context, value: string, seconds: number) => {
    const secure = new URL(c.req.url).protocol === 'https:' ? '; Secure' : ''
    const attributes = `Path=/console; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
    c.header('set-cookie', `${cookieName}=${value}; ${attributes}`)
  }
  const readSession = (c: Context) =>
    sessions.read(/(?:^|; )console=([^;]*)/.exec(c.req.header('cookie') ?? '')?.[1] ?? '')

  async function show(c: Context, page: NamedPage, draw: DrawPage): Promise<Response> {
    const session = await readSession(c)
    if (session === undefined && c.req.header('x-fresh') !== undefined) {
      c.status(401)
      return showPage(c as never, <SignIn hasExpired />, { title: 'Console' })
    }
    if (session === undefined) return c.redirect('/console/sign-in')
    const status = await options.operator.overview(session.actor)
    const [title, route, current] = page
    const lack = describeLack(session.actor, route)
    if (lack !== undefined) c.status(403)
    const refusal = lack && <p role="alert">Nothing was done: {lack}.</p>
    const content = refusal ?? (await draw({ c, session, status, unit: status.unit, timeZone }))
    const nav = <ConsoleMenu {...session} current={current} status={status} />
    return showPage(c as never, content, { title, nav, refreshSeconds, timeZone })
  }

  routes.use(bodyLimit({ maxSize: maxBodyBytes }))
  routes.get('/sign-in', (c) => showPage(c, <SignIn />, { title: 'Console' }))
  routes.post('/sign-in', async (c) => {
    const value = await sessions.begin(form.parse(await c.req.parseBody()).token)
    if (value === undefined) {
      log({ level: 'warn', event: 'console.refused', message: 'A sign-in had another token' })
      c.status(401)
      return showPage(c, <SignIn isRefused />, { title: 'Console' })
    }
    setCookie(c, value, sessions.lifetimeSeconds)
    await options.operator.recordSignIn(value.split('.')[0] ?? '')
    return c.redirect('/console', 303)
  })
  // Another site's form does not know the session's token.
  routes.use(async (c, next) => {
    if (c.req.method !== 'POST') return await next()
    // A field that is named twice is read as a list, which the form does not accept.
    const { data } = form.safeParse(await c.req.parseBody({ all: true }))
    const session = await readSession(c)
    if (session !== undefined && data?.csrf === session.csrf) return await next()
    c.status(403)
    return showPage(c, <SignIn hasExpired />, { title: 'Console' })
  })
  routes.post('/sign-out', (c) => {
    setCookie(c, '', 0)
    return c.redirect('/console/sign-in', 303)
  })
  routes.get('/loans.csv', async (c) =>
    (await readSession(c)) === undefined
      ? c.redirect('/console/sign-in')
      : c.body(await options.operator.loansAsCsv(), 200, { 'content-type': 'text/csv' }),
  )
  addPages(routes, options, show)
  routes.onError(async (error, c) => {
    log({ level: 'error', event: 'console.failed', message: describeFault(error) })
    c.status(503)
    const session = await readSession(c)
    const nav = session && <ConsoleMenu {...session} />
    return showPage(c as never, <NoAnswer error={error} />, {
      title: 'No answer',
      nav,
      refreshSeconds,
    })
  })
  return app.route('/', routes)
}

/** Draws a page; sets another status than 200. */
type DrawPage = (request: PageRequest) => Promise<Child>

type Show = (c: Context, page: NamedPage, draw: DrawPage) => Promise<Response>

function addPages(routes: ReturnType<typeof pageRoutes>, options: ConsoleOptions, show: Show) {
  const { '/support': drawSupport, ...pages } = listPages(options)
  // A page that a form led to is loaded again without the form.
  for (const path of ['/support', '/act'])
    routes.get(path, (c) => show(c, supportPage, drawSupport))
  for (const [path, drawPage] of Object.entries(pages)) {
    const page = consolePages.find(([, , shown]) => shown === path) ?? otherPages[path] ?? noPage
    routes.get(path, (c) => show(c, page, drawPage))
  }
  for (const [path, drawPage] of Object.entries(listForms(options)))
    routes.post(path, (c) => show(c, supportPage, drawPage))
  const drawNoPage: DrawPage = async ({ c }) => {
    c.status(404)
    return <p role="alert">The console has no such page: choose one above.</p>
  }
  routes.get('/*', (c) => show(c, noPage, drawNoPage))
}

function listPages({ operator, operators, keys }: ConsoleOptions) {
  return {
    '/': async ({ status }) => <Overview status={status} />,
    '/payments': (request) => showPayments(operator, request, request.c.req.query()),
    [accountPath]: async (request) => {
      const { c, session, unit } = request
      const account = c.req.param('account') ?? ''
      if (findLackingRole(session.actor, supportPage[1]) !== undefined)
        return await showPayments(operator, request, { account })
      // The page is loaded every few seconds, and the audit has each look-up: once is enough.
      if (c.req.header('x-fresh') !== undefined)
        return <Support {...session} unit={unit} text={account} />
      return await showFound(operator, request, account)
    },
    [paymentPath]: async ({ c, unit }) => {
      const payment = await operator.payment(c.req.param('intent') as `0x${string}`)
      if (payment !== undefined) return <PaymentView payment={payment} unit={unit} />
      c.status(404)
      return <p>The ledger has no such payment.</p>
    },
    '/support': async ({ session, unit }) => <Support {...session} unit={unit} text="" />,
    '/loans': async ({ c }) => {
      const query = loansQuery.safeParse(c.req.query()).data ?? loansQuery.parse({})
      return <Loans book={await operator.loans(query)} state={query.state} />
    },
    '/people': async ({ c, session: { actor }, status: { you } }) => {
      const found = await operator.act(actor, 'agents', {})
      if (!('error' in found)) return <People {...found} operators={operators} you={you} />
      c.status(found.status)
      return <p role="alert">{found.error}</p>
    },
    '/system': async ({ status }) => <System status={status} />,
    '/keys': async ({ status: { you } }) => <KeyList keys={await keys()} you={you} />,
    '/alerts': async () => <Alerts {...(await operator.alerts())} />,
    '/audit': async ({ c, unit, timeZone }) => {
      const lookups = c.req.query('all') === undefined ? 'false' : 'true'
      const before = Date.parse(toUtc(c.req.query('before') ?? '', timeZone)) || undefined
      const found = await operator.audit({ lookups, before })
      return <Audit {...found} lookups={lookups} unit={unit} />
    },
  } satisfies Record<string, DrawPage>
}

async function showPayments(
  operator: Operator,
  { c, unit, timeZone }: PageRequest,
  query: Readonly<Record<string, string>>,
): Promise<Child> {
  const entries = Object.entries(query)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '')
  const filter = Object.fromEntries(entries)
  const shared = { filter, unit }
  const asked = entries.map(([name, value]) => [name, toUtc(value, timeZone)])
  const { data, error } = paymentsQuery.safeParse(Object.fromEntries(asked))
  if (data !== undefined) {
    const received = data.account === undefined ? undefined : await operator.received(data.account)
    const found = { ...(await operator.payments(data)), received }
    return <Payments {...shared} {...found} />
  }
  c.status(400)
  const emptyList = <Payments {...shared} payments={[]} next={null} />
  return [<p role="alert">{z.prettifyError(error)}</p>, emptyList]
}

async function readDetails(operator: Operator, { accounts }: Found) {
  const intents = accounts.flatMap(({ caller }) => caller.payments.map(({ intent }) => intent))
  const latest = intents.slice(0, maxDetails)
  const details = await Promise.all(latest.map((intent) => operator.payment(intent as Hex)))
  return new Map(details.flatMap((payment) => (payment ? [[payment.intent, payment]] : [])))
}

async function showFound(
  operator: Operator,
  { c, session, unit }: PageRequest,
  text: string,
  notice?: string,
): Promise<Child> {
  const shared = { ...session, unit, text }
  const found = await operator.act(session.actor, 'find', { text })
  if ('error' in found) {
    c.status(found.status)
    return <Support {...shared} notice={`Nothing was found: ${found.error}.`} />
  }
  if (found.accounts.length + found.payments.length === 0)
    return <Support {...shared} notice={nothingFits} />
  const lookup = { found, details: await readDetails(operator, found) }
  return <Support {...shared} notice={notice} lookup={lookup} />
}

/** Lists the forms about what a caller reads out, such as a number, which no URL may contain. */
function listForms({ operator }: ConsoleOptions): Record<string, DrawPage> {
  const { act } = operator
  return {
    '/support': async (request) => {
      const { text } = form.parse(await request.c.req.parseBody())
      return await showFound(operator, request, text)
    },
    '/act': async (request) => {
      const posted = form.parse(await request.c.req.parseBody())
      const { phone, act: action, confirmation, reason } = posted
      const { actor } = request.session
      const found = await act(actor, 'lookup', { phone })
      if ('error' in found || action === undefined) return await showFound(operator, request, phone)
      const { account } = found
      const expected = describeConfirmation(action, account)
      if (confirmation.trim().toLowerCase() !== expected.toLowerCase()) {
        const notice = 'Nothing was done: the confirmation was not typed correctly.'
        return await showFound(operator, request, phone, notice)
      }
      const done =
        action === 'unblock' || action === 'keep-pin'
          ? await act(actor, 'pin', { phone, action })
          : await act(actor, 'hold', { account, action, reason: reason || undefined })
      const fate =
        'error' in done
          ? `Nothing was done: ${done.error.replaceAll(/✖ |\n.*/g, '')}.`
          : `Done, and in the audit: ${action}.`
      return await showFound(operator, request, phone, fate)
    },
  }
}
