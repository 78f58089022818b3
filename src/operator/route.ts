import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { Hono } from 'hono/tiny'
import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { parseBearerToken } from '../runtime/bearer.ts'
import { parseUniqueJson } from '../runtime/json.ts'
import { describeFault, type Log } from '../runtime/log.ts'
import { describeLack, findOperator, findRoute, type NamedOperator } from './access.ts'
import { type RefusedRequest, refuseRequest } from './actions/action.ts'
import { type ActionName, actions } from './actions/list.ts'
import type { Actor } from './schemas/fields.ts'
import type { HealthAnswer } from './schemas/health.ts'
import { auditQuery, eventsQuery, exportQuery } from './schemas/kept.ts'
import { loansQuery } from './schemas/loans.ts'
import { paymentsQuery } from './schemas/payments.ts'
import { LedgerSilent, type Operator } from './service.ts'
import { version } from './version.ts'
import '../runtime/english.ts'

export function createHealthRoutes(health: () => Promise<HealthAnswer>): Hono {
  const routes = new Hono()
  routes.get('/livez', (c) => c.json({ status: 'ok', version }))
  for (const path of ['/readyz', '/healthz']) {
    routes.get(path, async (c) => {
      const answer = await health()
      return c.json(answer, answer.status === 'ok' ? 200 : 503)
    })
  }
  return routes
}

/** Returns the proof of a relay's transaction as JSON; `unknown` for another transaction. */
export type ReadProof = (hash: Hex) => Promise<string | 'unknown' | 'too_many'>

export function createProofRoutes(readProof: ReadProof, log: Log): Hono {
  const routes = new Hono()
  routes.get('/:hash{0x[0-9a-fA-F]{64}}', async (c) => {
    const proof = await readProof(c.req.param('hash').toLowerCase() as Hex)
    if (proof === 'unknown') return c.json({ error: 'no such transaction of this relay' }, 404)
    if (proof !== 'too_many') return c.body(proof, 200, { 'content-type': 'application/json' })
    return c.json({ error: 'too many proofs were asked for: ask again in a minute' }, 429)
  })
  routes.onError((error, c) => {
    log({ level: 'warn', event: 'proof.failed', message: describeFault(error) })
    return c.json({ error: 'the ledger or the nodes gave no answer: ask again' }, 503)
  })
  return routes
}

export type OperatorRouteOptions = {
  operator: Operator
  operators: readonly NamedOperator[]
  log: Log
}

declare module 'hono' {
  interface ContextVariableMap {
    /** Is who asks, once the guard has let a request through. */
    actor: Actor
  }
}

/** Lets only requests through that bear the token of an operator who may make them. */
export function createGuard(operators: readonly NamedOperator[]): MiddlewareHandler {
  return async (c, next) => {
    if (operators.length === 0) return c.text('Not found\n', 404)
    const actor = findOperator(operators, parseBearerToken(c.req.header('authorization')))
    if (actor === undefined) return c.json({ error: "an operator's token is needed" }, 401)
    const route = findRoute(c.req.method, c.req.path)
    if (route === undefined) return c.notFound()
    const lack = describeLack(actor, route)
    if (lack !== undefined) return c.json({ error: lack }, 403)
    c.set('actor', actor)
    c.header('cache-control', 'no-store')
    return await next()
  }
}

const maxBodyBytes = 4 * 1024
const maxImportBytes = 1024 * 1024

export function createOperatorRoutes({ operator, operators, log }: OperatorRouteOptions): Hono {
  const routes = new Hono()
  for (const path of ['/operator/*', '/metrics']) routes.use(path, createGuard(operators))
  routes.use('/operator/*', async (c, next) => {
    const isRepeated = Object.values(c.req.queries()).some((values) => values.length > 1)
    if (!isRepeated) return await next()
    return c.json({ error: 'a parameter of the address is named twice' }, 400)
  })
  const onError = (c: Context) => c.json({ error: 'the request is too large' }, 413)
  const limitBody = (maxSize: number) => bodyLimit({ maxSize, onError })
  const [smallBody, largeBody] = [limitBody(maxBodyBytes), limitBody(maxImportBytes)]
  routes.use('/operator/*', (c, next) =>
    c.req.path === '/operator/import' ? largeBody(c, next) : smallBody(c, next),
  )
  routes.onError((error, c) => {
    log({ level: 'error', event: 'operator.failed', message: describeFault(error) })
    if (error instanceof LedgerSilent) return c.json({ error: error.message }, 503)
    const uncertain = 'the ledger or a node gave no answer: the action may have been done'
    return c.json({ error: uncertain }, 503)
  })
  addReads(routes, operator)
  addActions(routes, operator)
  return routes
}

const reply = (c: Context, answer: object | RefusedRequest) =>
  'error' in answer ? c.json({ error: answer.error }, answer.status) : c.json(answer)

function addReads(routes: Hono, operator: Operator): void {
  const addQuery = <Query>(
    name: string,
    schema: z.ZodMiniType<Query>,
    read: (query: Query) => Promise<object>,
  ) =>
    routes.get(`/operator/${name}`, async (c) => {
      const query = schema.safeParse(c.req.query())
      if (query.success) return reply(c, await read(query.data))
      return c.json({ error: z.prettifyError(query.error) }, 400)
    })
  routes.get('/operator/status', async (c) => c.json(await operator.status(c.get('actor'))))
  routes.get('/operator/alerts', async (c) => c.json(await operator.alerts()))
  routes.get('/metrics', async (c) =>
    c.text(await operator.metrics(), 200, { 'content-type': 'text/plain; version=0.0.4' }),
  )
  routes.get('/operator/payments/:intent{0x[0-9a-fA-F]{44}}', async (c) => {
    const payment = await operator.payment(c.req.param('intent').toLowerCase() as Hex)
    return reply(c, payment ?? refuseRequest(404, 'the ledger has no such payment'))
  })
  addQuery('audit', auditQuery, operator.audit)
  addQuery('payments', paymentsQuery, operator.payments)
  addQuery('loans', loansQuery, operator.loans)
  addQuery('events', eventsQuery, operator.events)
  addQuery('export', exportQuery, operator.exportPage)
  routes.get('/operator/loans.csv', async (c) => c.body(await operator.loansAsCsv(), 200, csv))
}

const csv = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="loans.csv"',
}

function addActions(routes: Hono, { act }: Operator): void {
  for (const name of Object.keys(actions) as ActionName[]) {
    routes.post(`/operator/${name}`, async (c) => {
      const text = await c.req.text()
      const request = text === '' ? undefined : (parseUniqueJson(text) ?? null)
      return reply(c, await act(c.get('actor'), name, request as never))
    })
  }
}
