import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Hex } from 'viem'
import * as z from 'zod/mini'
import { isOperator } from '../keys/operator-token.ts'
import type { IntakeWish, RestoreAnswer, RestoreBegun } from '../relay/ledger/port.ts'
import { faultOf, type Log } from '../runtime/log.ts'
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

function cashOutRefusal(outcome: Exclude<CashedOut, { kind: 'accepted' }>): {
  status: 400 | 409 | 503
  error: string
} {
  switch (outcome.kind) {
    case 'refused':
      return { status: 409, error: outcome.says }
    case 'other_order': {
      const fate = outcome.paid ? 'may have paid' : 'was refused'
      return { status: 409, error: `the key was used for another cash-out, which ${fate}` }
    }
    case 'uncertain':
      return { status: 503, error: 'it is not known yet whether it was sent: the same key tells' }
    case 'bad_number':
      return { status: 400, error: badNumber }
    case 'bad_recipient':
      return { status: 400, error: 'this is not an address that can be paid on this chain' }
    case 'bad_amount':
      return { status: 400, error: 'this is not an amount' }
    case 'old_key':
      return { status: 409, error: 'the key is not of the last 24 hours: nothing was sent' }
    case 'other_secrets':
      return { status: 409, error: otherSecrets }
  }
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
  routes.post('/operator/outbid', async (c) => {
    const parsed = outbidRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 400)
    const { kind, ...answer } = await operator.outbid(parsed.data.nonce)
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

const phoneWanted = 'the body has to be {"phone": "+…"}'
const pinWanted = '{"phone": "+…", "action": "unblock" or "keep-pin"}'
const aliasWanted = '{"phones": ["+…"]} with 20 at most, or {"kept": 0}'
const badNumber = 'this is not a phone number'
const otherSecrets = 'the ledger was begun with other secrets'

function refused(c: Context, kind: 'bad_number' | 'other_secrets') {
  return kind === 'bad_number'
    ? c.json({ error: badNumber }, 400)
    : c.json({ error: otherSecrets }, 409)
}

/** What is asked for by a number. What was sent is a person's: no error repeats it. */
function addCallers(routes: Hono, operator: Operator): void {
  routes.post('/operator/lookup', async (c) => {
    const parsed = lookupRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.json({ error: phoneWanted }, 400)
    const { kind, ...answer } = await operator.lookup(parsed.data.phone)
    return kind === 'found' ? c.json(answer) : refused(c, kind)
  })
  routes.post('/operator/deposit', async (c) => {
    const parsed = lookupRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.json({ error: phoneWanted }, 400)
    const { kind, ...answer } = await operator.deposit(parsed.data.phone)
    return kind === 'told' ? c.json(answer) : refused(c, kind)
  })
  routes.post('/operator/pin', async (c) => {
    const parsed = pinRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) {
      return c.json({ error: `the body has to be ${pinWanted}` }, 400)
    }
    const { kind, ...answer } = await operator.pin(parsed.data)
    return kind === 'done' ? c.json(answer) : refused(c, kind)
  })
  routes.post('/operator/alias', async (c) => {
    const parsed = aliasRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) return c.json({ error: `the body has to be ${aliasWanted}` }, 400)
    const { kind, ...answer } = await operator.alias(parsed.data)
    if (kind === 'serving') return c.json({ error: 'payments are taken: pause them first' }, 409)
    return kind === 'done' ? c.json(answer) : refused(c, kind)
  })
  routes.post('/operator/cash-out', async (c) => {
    const parsed = cashOutRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) {
      const body = '{"phone": "+…", "to": "0x…", "amount": "0.5" or "all", "key": "…"}'
      return c.json({ error: `the body has to be ${body}` }, 400)
    }
    const outcome = await operator.cashOut(parsed.data)
    if (outcome.kind === 'accepted') return c.json({ payment: outcome.payment })
    const { status, error } = cashOutRefusal(outcome)
    return c.json({ error }, status)
  })
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
  routes.post('/operator/restore/begin', async (c) => {
    const asked = restoreRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!asked.success) return c.json({ error: 'this is no head of an export' }, 400)
    const begun = await operator.beginRestore(asked.data.head, asked.data.adds)
    return begun.kind === 'begun'
      ? c.json({ added: 0, kept: 0 })
      : c.json({ error: whyNotBegun(begun) }, 409)
  })
  routes.post('/operator/restore/entries', async (c) => {
    const asked = restoreEntriesRequest.safeParse(await c.req.json().catch(() => undefined))
    // Not shown: it is what the ledger has of callers.
    if (!asked.success) return c.json({ error: 'these are no entries of an export' }, 400)
    return answerRestore(c, await operator.restore(asked.data.exportedAt, asked.data.entries))
  })
  routes.post('/operator/restore/end', async (c) => {
    const asked = restoreEndRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!asked.success) return c.json({ error: 'the body has to be {"exportedAt": …}' }, 400)
    return answerRestore(c, await operator.endRestore(asked.data.exportedAt))
  })
  routes.post('/operator/set-back', async (c) => {
    const asked = setBackRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!asked.success) return c.json({ error: 'the body has to be {"to": "<time in UTC>"}' }, 400)
    const { data } = asked
    const answer = await operator.setBack('to' in data ? { time: Date.parse(data.to) } : data)
    return answer.kind === 'refused'
      ? c.json({ error: answer.reason }, 409)
      : c.json({ undo: answer.undo })
  })
}

function answerRestore(c: Context, { kind, ...answer }: RestoreAnswer) {
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
