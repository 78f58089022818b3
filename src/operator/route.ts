import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { isOperator } from '../keys/operator-token.ts'
import type { IntakeWish, RestoreAnswer, RestoreBegun } from '../relay/ledger/port.ts'
import { faultOf, type Log } from '../runtime/log.ts'
import type { NoCaller } from './actions/caller.ts'
import type { CashedOut } from './actions/cash-out.ts'
import {
  aliasRequest,
  cashOutRequest,
  drainRequest,
  exportQuery,
  type HealthAnswer,
  lookupRequest,
  outbidRequest,
  paymentsQuery,
  pinRequest,
  restoreEndRequest,
  restoreEntriesRequest,
  restoreRequest,
  setBackRequest,
} from './answers.ts'
import { LedgerSilent, type Operator } from './service.ts'
import '../runtime/english.ts'

/** `GET /livez`, `/readyz` and `/healthz`. */
export function healthRoutes(health: () => Promise<HealthAnswer>): Hono {
  const routes = new Hono()
  routes.get('/livez', (c) => c.json({ status: 'ok' }))
  for (const path of ['/readyz', '/healthz']) {
    routes.get(path, async (c) => {
      const answer = await health()
      return c.json(answer, answer.status === 'ok' ? 200 : 503)
    })
  }
  return routes
}

export type OperatorRouteOptions = {
  operator: Operator
  /** Undefined: there are no such routes. */
  operatorToken: string | undefined
  log: Log
}

/** More than any request has: a phone number or a nonce. */
const maxBodyBytes = 4 * 1024

/** But for a part of an export. */
const maxRestoreBytes = 2 * 1024 * 1024

/** `/operator/*` and `/metrics`. */
export function operatorRoutes({ operator, operatorToken, log }: OperatorRouteOptions): Hono {
  const routes = new Hono()
  for (const path of ['/operator/*', '/metrics']) {
    routes.use(path, async (c, next) => {
      if (operatorToken === undefined) return c.text('Not found\n', 404)
      const isAllowed = await isOperator(c.req.header('authorization'), operatorToken)
      if (!isAllowed) return c.json({ error: "the operator's token is needed" }, 401)
      c.header('cache-control', 'no-store')
      return await next()
    })
  }
  const onError = (c: Context) => c.json({ error: 'the request is too large' }, 413)
  const upTo = (maxSize: number) => bodyLimit({ maxSize, onError })
  const [usual, large] = [upTo(maxBodyBytes), upTo(maxRestoreBytes)]
  routes.use('/operator/*', (c, next) =>
    c.req.path.startsWith('/operator/restore/') ? large(c, next) : usual(c, next),
  )
  routes.onError((error, c) => {
    log({ level: 'error', event: 'operator.failed', message: faultOf(error) })
    if (error instanceof LedgerSilent) return c.json({ error: error.message }, 503)
    return c.json({ error: 'the ledger or the node gave no answer; it may have been done' }, 503)
  })
  addReads(routes, operator)
  addActions(routes, operator)
  addRestore(routes, operator)
  addCallers(routes, operator)
  return routes
}

function addReads(routes: Hono, operator: Operator): void {
  routes.get('/operator/status', async (c) => c.json(await operator.status()))
  routes.get('/operator/audit', async (c) => c.json(await operator.audit()))
  routes.get('/metrics', async (c) =>
    c.text(await operator.metrics(), 200, { 'content-type': 'text/plain; version=0.0.4' }),
  )
  routes.get('/operator/payments', async (c) => {
    const parsed = paymentsQuery.safeParse(c.req.query())
    if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 400)
    const { since, before, archived, intent, hash, account, ...query } = parsed.data
    const times = { since: timeOf(since), before: timeOf(before) }
    if (Number.isNaN(times.since) || Number.isNaN(times.before)) {
      return c.json({ error: 'a time has to be ISO 8601, or Unix time in ms' }, 400)
    }
    const names = { intent: lowerHex(intent), hash: lowerHex(hash), account }
    const asked = { ...query, ...times, ...names, archived: archived === 'true' }
    return c.json(await operator.payments(asked))
  })
  routes.get('/operator/payments/:intent{0x[0-9a-fA-F]{44}}', async (c) => {
    const payment = await operator.payment(c.req.param('intent').toLowerCase() as Hex)
    return payment === undefined
      ? c.json({ error: 'the ledger has no such payment' }, 404)
      : c.json(payment)
  })
}

const lowerHex = (text: string | undefined): Hex | undefined =>
  text === undefined ? undefined : (text.toLowerCase() as Hex)

/** Unix time in ms; not a number where it is no time. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : Date.parse(text)
}

/**
 * Adds a route that takes a body. Of any other body is said what it has to be, or by its schema what is wrong: what
 * was sent may be a person's, and no error repeats it.
 */
function post<Body>(
  routes: Hono,
  path: string,
  schema: z.ZodMiniType<Body>,
  wanted: string | undefined,
  act: (c: Context, asked: Body) => Promise<Response>,
): void {
  routes.post(path, async (c) => {
    const parsed = schema.safeParse(await c.req.json().catch(() => undefined))
    if (parsed.success) return await act(c, parsed.data)
    return c.json({ error: wanted ?? z.prettifyError(parsed.error) }, 400)
  })
}

const intakes = { pause: 'paused', resume: 'open' } as const satisfies Readonly<
  Record<string, IntakeWish>
>

function addActions(routes: Hono, operator: Operator): void {
  for (const [action, kind] of Object.entries(intakes)) {
    routes.post(`/operator/${action}`, async (c) => c.json(await operator.setIntake(kind)))
  }
  routes.post('/operator/drain', async (c) => {
    const isBare = (await c.req.text()) === ''
    const parsed = drainRequest.safeParse(isBare ? {} : await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 400)
    return c.json(await operator.setIntake('draining', parsed.data.nextAccountKey))
  })
  post(routes, '/operator/outbid', outbidRequest, undefined, async (c, { nonce }) => {
    const { kind, ...answer } = await operator.outbid(nonce)
    switch (kind) {
      case 'outbid':
        return c.json(answer)
      case 'not_waiting':
        return c.json({ error: 'no transaction of this nonce waits for a block' }, 404)
      case 'price_limit':
        return c.json({ error: 'it would take more than MAX_GAS_PRICE_WEI' }, 409)
      case 'not_taken':
        return c.json({ error: 'it was mined meanwhile, or no node takes it' }, 409)
    }
  })
}

const wanted = {
  phone: 'the body has to be {"phone": "+…"}',
  pin: 'the body has to be {"phone": "+…", "action": "unblock" or "keep-pin"}',
  alias: 'the body has to be {"phones": ["+…"]} with 20 at most, or {"kept": 0}',
  cashOut: 'the body has to be {"phone": "+…", "to": "0x…", "amount": "0.5" or "all", "key": "…"}',
  head: 'this is no head of an export',
  // Not shown: it is what the ledger has of callers.
  entries: 'these are no entries of an export',
  end: 'the body has to be {"exportedAt": …}',
  setBack: 'the body has to be {"to": "<time in UTC>"}',
}

function noCaller(c: Context, { kind }: NoCaller) {
  return kind === 'bad_number'
    ? c.json({ error: 'this is not a phone number' }, 400)
    : c.json({ error: 'the ledger was begun with other secrets' }, 409)
}

/** What is asked for by a number. */
function addCallers(routes: Hono, operator: Operator): void {
  post(routes, '/operator/lookup', lookupRequest, wanted.phone, async (c, { phone }) => {
    const { kind, ...answer } = await operator.lookup(phone)
    return kind === 'found' ? c.json(answer) : noCaller(c, { kind })
  })
  post(routes, '/operator/deposit', lookupRequest, wanted.phone, async (c, { phone }) => {
    const { kind, ...answer } = await operator.deposit(phone)
    return kind === 'told' ? c.json(answer) : noCaller(c, { kind })
  })
  post(routes, '/operator/pin', pinRequest, wanted.pin, async (c, asked) => {
    const { kind, ...answer } = await operator.pin(asked)
    return kind === 'done' ? c.json(answer) : noCaller(c, { kind })
  })
  post(routes, '/operator/alias', aliasRequest, wanted.alias, async (c, asked) => {
    const { kind, ...answer } = await operator.alias(asked)
    if (kind === 'serving') return c.json({ error: 'payments are taken: pause them first' }, 409)
    return kind === 'done' ? c.json(answer) : noCaller(c, { kind })
  })
  post(routes, '/operator/cash-out', cashOutRequest, wanted.cashOut, async (c, asked) =>
    cashedOut(c, await operator.cashOut(asked)),
  )
}

function cashedOut(c: Context, outcome: CashedOut) {
  switch (outcome.kind) {
    case 'accepted':
      return c.json({ payment: outcome.payment })
    case 'refused':
      return c.json({ error: outcome.says }, 409)
    case 'other_order': {
      const fate = outcome.paid ? 'may have paid' : 'was refused'
      return c.json({ error: `the key was used for another cash-out, which ${fate}` }, 409)
    }
    case 'uncertain':
      return c.json({ error: 'it is not known yet whether it was sent: the same key tells' }, 503)
    case 'bad_recipient':
      return c.json({ error: 'this is not an address that can be paid on this chain' }, 400)
    case 'bad_amount':
      return c.json({ error: 'this is not an amount' }, 400)
    case 'old_key':
      return c.json({ error: 'the key is not of the last 24 hours: nothing was sent' }, 409)
    case 'bad_number':
    case 'other_secrets':
      return noCaller(c, outcome)
  }
}

/** The ledger as a whole: out in pages, and back. */
function addRestore(routes: Hono, operator: Operator): void {
  routes.get('/operator/export', async (c) => {
    const place = exportQuery.safeParse(c.req.query())
    if (!place.success) return c.json({ error: z.prettifyError(place.error) }, 400)
    const page = await operator.exported(place.data)
    if (page.kind === 'different') return c.json({ error: notThisLedger(page.names) }, 409)
    const { head, entries, next = null } = page
    return c.json({ head, entries, next })
  })
  post(routes, '/operator/restore/begin', restoreRequest, wanted.head, async (c, asked) => {
    const begun = await operator.beginRestore(asked.head, asked.adds)
    return begun.kind === 'begun'
      ? c.json({ added: 0, kept: 0 })
      : c.json({ error: whyNotBegun(begun) }, 409)
  })
  post(
    routes,
    '/operator/restore/entries',
    restoreEntriesRequest,
    wanted.entries,
    async (c, asked) => restored(c, await operator.restore(asked.exportedAt, asked.entries)),
  )
  post(routes, '/operator/restore/end', restoreEndRequest, wanted.end, async (c, asked) =>
    restored(c, await operator.endRestore(asked.exportedAt)),
  )
  post(routes, '/operator/set-back', setBackRequest, wanted.setBack, async (c, asked) => {
    const answer = await operator.setBack('to' in asked ? { time: Date.parse(asked.to) } : asked)
    return answer.kind === 'refused'
      ? c.json({ error: answer.reason }, 409)
      : c.json({ undo: answer.undo })
  })
}

function restored(c: Context, { kind, ...answer }: RestoreAnswer) {
  if (kind === 'restored') return c.json(answer)
  return c.json({ error: 'no restore of this export is under way' }, 409)
}

const notThisLedger = (names: readonly string[]): string =>
  names.length === 0
    ? 'the ledger was never begun: it holds nothing'
    : `the ledger was begun with other values of: ${names.join(', ')}`

function whyNotBegun(begun: Exclude<RestoreBegun, { kind: 'begun' }>): string {
  switch (begun.kind) {
    case 'other_schema':
      return `the export has another schema than this version, which has ${begun.schema}`
    case 'other_ledger':
      return `the export is of another ledger: it differs in ${begun.names.join(', ')}`
    case 'other_restore':
      return 'another export is being restored: restore that one to its end, or resume'
    case 'in_use': {
      const open = begun.isOpen ? ['has payments that are open'] : []
      const newer = begun.isNewer ? ['is newer than the export'] : []
      return `the ledger ${[...open, ...newer].join(' and ')}: say that the export is to be added to it`
    }
  }
}
