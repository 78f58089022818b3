import { Hono } from 'hono/tiny'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../scripts/dev/sqlite.ts'
import { createCallerAccounts } from '../../../src/account/caller-accounts.ts'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { encodeCall } from '../../../src/loan/calls.ts'
import {
  describeLack,
  findCommandLack,
  getNeededRole,
  listOperators,
  type RouteName,
  roleWords,
  routeNames,
  routeRoles,
} from '../../../src/operator/access.ts'
import { caller } from '../../../src/operator/schemas/callers.ts'
import { type Role, roles, till } from '../../../src/operator/schemas/fields.ts'
import { auditAnswer } from '../../../src/operator/schemas/kept.ts'
import { createSignIns } from '../../../src/pages/console/session.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import { accept, alice, executionIn, mineAt, orderOf } from '../../ports/payments.ts'
import { openDeployment, openSqlLedger } from '../../support/deployment.ts'
import { required } from '../compose/variables.ts'

const phone = '+254700000001' as PhoneNumber
const account = `0x${'1'.repeat(40)}`
const unused = { intent: `0x${'ab'.repeat(22)}`, id: 'abcdef012345' }

/** Are four operators, a role each, whose name is that of the role. */
const tokenOf = (name: string) => `the-token-of-${name}`
const write = (name: string, role: string, token = tokenOf(name)) =>
  `${name}:${role}:${hashKey(token)}`
const all = roles.map((role) => write(role, role)).join()

function open(variables: Record<string, string> = { OPERATORS: all }) {
  const { ask, app, events, ledger } = openDeployment({
    variables: { ...required, NODE_URL: 'http://127.0.0.1:1', ...variables },
  })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    ...{ app, events, ledger },
    async send(name: string, route: string, sent?: object) {
      const [method = '', path = ''] = route.split(' ')
      const body = sent && JSON.stringify(sent)
      return ask(path, { method, headers: bearer(tokenOf(name)), ...(body && { body }) })
    },
    async audit() {
      const { body } = await ask('/operator/audit', { headers: bearer(tokenOf('money')) })
      return auditAnswer.parse(body).entries
    },
  }
}

type Case = { route: RouteName; action?: string }

const cases = routeNames.flatMap((route): Case[] => {
  const needed = routeRoles[route]
  return typeof needed === 'string'
    ? [{ route }]
    : Object.keys(needed).map((action) => ({ route, action }))
})

describe('the roles of operators', () => {
  const deployment = open()

  test.for(cases)(
    '$route $action is done for its role and those above, and refused to others',
    async ({ route, action }) => {
      const needed = getNeededRole(route, action)
      const path = route.replace(/:(\w+)/, (_, name: 'id') => unused[name])
      const sent = path.startsWith('POST') ? { phone, account, action } : undefined
      for (const role of roles) {
        const { status, body } = await deployment.send(role, path, sent)
        if (roles.indexOf(role) < roles.indexOf(needed)) {
          const error = `this needs the role ${needed}: ${role} has the role ${role}`
          expect([role, status, body]).toEqual([role, 403, { error }])
        } else expect([401, 403], role).not.toContain(status)
      }
    },
  )

  test('say in their own line what they add to those before', () => {
    const said = [
      [getNeededRole('GET /operator/payments'), 'sees payments, loans, alerts, the audit'],
      [getNeededRole('POST /operator/find'), 'looks callers up'],
      [getNeededRole('POST /operator/hold', 'hold'), 'holds accounts'],
      [getNeededRole('POST /operator/pause'), 'pauses and resumes payments'],
      [getNeededRole('POST /operator/agents/add'), 'gives tills'],
      [getNeededRole('POST /keys'), 'API keys'],
      [getNeededRole('POST /operator/rate'), 'accepts prices'],
      [getNeededRole('POST /operator/cash-out'), 'pays out'],
      [getNeededRole('POST /operator/hold', 'release'), 'releases held accounts'],
      [getNeededRole('POST /operator/pin', 'unblock'), 'unblocks PINs'],
      [getNeededRole('POST /operator/wallet'), 'sets wallets'],
    ] as const
    for (const [role, words] of said) expect(roleWords[role]).toContain(words)
  })

  test('let money alone cash out, issue wallet codes, end holds and unblock PINs', () => {
    const routes = ['cash-out', 'wallet-code', 'end-recall'] as const
    expect(routes.map((name) => getNeededRole(`POST /operator/${name}`))).toEqual(
      Array(3).fill('money'),
    )
    expect(getNeededRole('POST /operator/hold', 'release')).toBe('money')
    expect(getNeededRole('POST /operator/pin', 'unblock')).toBe('money')
    const support = { name: 'amina', role: 'support' } as const
    expect(describeLack(support, 'POST /operator/pin', 'an action of tomorrow')).toMatch(/money/)
  })

  test('let money alone end what is held of a mistaken payment, once, and name who did', async () => {
    const { send, audit, ledger } = open()
    const { address: to } = await createCallerAccounts(required.ACCOUNT_KEY_SECRET)(phone)
    const { request } = orderOf('s')
    const data = encodeCall({ kind: 'transfer', to, amountWei: 10n })
    const intent = unused.intent as Hex
    const order = { request: { ...request, intentId: intent, data }, spendsWei: 10n }
    const nonce = await accept(ledger, 's', alice, { order })
    await mineAt(ledger, 's', nonce ?? -1, executionIn(9, { executed: order.request }))
    const holdings = { block: 9, wei: 10n, owedWei: 0n, spent: [] }
    const asked = { intentId: intent, sender: alice, holdings, withinMs: 60_000, everyMs: 1 }
    expect(await ledger.recall(asked)).toMatchObject({ kind: 'held', wei: 10n })
    const { body } = await send('support', 'POST /operator/person/export', { phone })
    expect(body).toMatchObject({ caller: { recalled: [{ intent, sender: alice, wei: '10' }] } })
    const end = async (name: string) =>
      (await send(name, 'POST /operator/end-recall', { phone, intent })).status
    expect([await end('operate'), await end('money'), await end('money')]).toEqual([403, 200, 404])
    expect(await ledger.listRecalled(to)).toEqual([])
    const [ended, , held] = await audit()
    expect(ended).toMatchObject({ by: 'money', action: 'end-recall', detail: { account: to } })
    expect(held).toMatchObject({ by: null, action: 'recall', detail: { account: alice } })
    expect(JSON.stringify([ended, held])).not.toContain(phone.slice(4))
  })

  test('are named beside the commands whose routes they lack, and beside no others', () => {
    const lack = (line: string, role: Role = 'support') =>
      findCommandLack({ name: 'amina', role }, `npm run ops -- ${line}`)
    expect(lack('resume')).toBe('operate')
    expect(lack('resume', 'operate')).toBeUndefined()
    expect(lack('agents add "NAME"')).toBe('operate')
    expect(lack('keys revoke ID')).toBe('operate')
    expect(lack('account deposit')).toBe('operate')
    expect(lack('account sweep --least 5.00')).toBe('operate')
    expect(lack('account wallet NAME 0x…')).toBe('money')
    expect(lack('account end-recall 0x…')).toBe('money')
    expect(lack('why 0x…', 'read')).toBe('support')
    expect(lack('why 0x…')).toBeUndefined()
    expect(lack('relayers top-up AMOUNT', 'read')).toBeUndefined()
  })

  test('are of exactly the routes that the app serves to operators', () => {
    const served = deployment.app().routes.flatMap(({ method, path }) => {
      const name = `${method} ${path.replace(/\{.*\}/, '')}`
      return method !== 'ALL' && /^\S+ \/(operator|metrics|keys)\b/.test(name) ? [name] : []
    })
    expect([...new Set(served)].sort()).toEqual([...routeNames].sort())
  })

  test('are written in audit and log with each name, and no token, hash or text is', async () => {
    const { send, audit, events } = open()
    expect((await send('support', 'POST /operator/hold', { account, action: 'hold' })).status).toBe(
      200,
    )
    await send('money', 'POST /operator/hold', { account, action: 'release' })
    await send('operate', 'POST /keys', { hash: 'ab'.repeat(32), name: 'x' })
    await send('read', 'POST /operator/hold', { account, action: 'hold' })
    const entries = await audit()
    expect(entries.map(({ by, action }) => `${by} ${action}`).sort()).toEqual([
      'money release',
      'operate add-key',
      'support hold',
    ])
    await send('operate', 'POST /operator/pause', { action: phone })
    await send('support', 'POST /operator/lookup', { phone })
    const logged = events.flatMap(({ event, action = '', message }) =>
      event.startsWith('operator.') ? `${event} ${action}: ${message.split(': ')[1]}` : [],
    )
    expect(logged).toEqual([
      'operator.hold hold: support',
      'operator.hold release: money',
      'operator.pause : operate',
    ])
    expect(JSON.stringify(events)).not.toContain(phone.slice(4))
    const told = JSON.stringify([entries, events])
    for (const role of roles)
      expect(told).not.toMatch(RegExp(`${tokenOf(role)}|${hashKey(tokenOf(role))}`))
  })

  test('hold an account for a reason, which is kept and shown, and has no number', async () => {
    const { send, audit } = open()
    const lookUp = async () =>
      caller.parse((await send('support', 'POST /operator/lookup', { phone })).body)
    const { account: held } = await lookUp()
    const hold = (reason: string) =>
      send('support', 'POST /operator/hold', { account: held, action: 'hold', reason })
    for (const reason of [
      'call +254700000001',
      '07 00-000 001',
      '0700.000.001',
      '٠٧٠٠ ٠٠٠ ٠٠١',
      'x'.repeat(81),
      ' ',
    ])
      expect((await hold(reason)).status, reason).toBe(400)
    expect(await audit()).toMatchObject([{ action: 'lookup' }])
    expect((await hold(' OB 12/1/12/2026 ')).status).toBe(200)
    const detail = { account: held, reason: 'OB 12/1/12/2026' }
    expect(await audit()).toContainEqual(expect.objectContaining({ action: 'hold', detail }))
    expect((await lookUp()).heldFor).toBe(detail.reason)
  })

  test('are in an audit that leaves out what changed nothing, where that is asked, however often it was', async () => {
    const { send, ledger } = open()
    for (const action of ['lookup', 'session', 'hold'])
      await ledger.recordAction({ id: `support/${action}`, action, detail: { account } })
    const count = async (query: string) => {
      const { body } = await send('read', `GET /operator/audit${query}`)
      return auditAnswer.parse(body).entries.length
    }
    expect([await count(''), await count('?lookups=false')]).toEqual([3, 1])
    for (let index = 0; index < 2_100; index++)
      await ledger.recordAction({ id: `support/${index}`, action: 'lookup', detail: {} })
    // One step searches 500 of them, and tells where the next page begins.
    expect(await count('?lookups=false')).toBe(0)
    const readAll = async (lookups: boolean) => {
      const pages: string[][] = []
      for (let before: string | null = '2100-01-01'; before !== null; ) {
        const query = `?lookups=${lookups}&before=${before}`
        const { body } = await send('read', `GET /operator/audit${query}`)
        const { entries, next } = auditAnswer.parse(body)
        pages.push(entries.map(({ action }) => action))
        before = next
      }
      return { pages: pages.length, actions: pages.flat() }
    }
    expect(await readAll(false)).toMatchObject({ actions: ['hold'] })
    const all = await readAll(true)
    expect(all.actions).toHaveLength(2_103)
    expect(all.pages).toBeGreaterThan(5)
  })

  test.for([
    [
      'kept, sealed, with messages',
      { SMS_API_KEY: 'the-key-of-this-test', SMS_USERNAME: 'lender' },
    ],
    ['not kept without messages', {}],
  ] as const)('give a till, whose number is %s', async ([, messages]) => {
    const { send, ledger } = open({ OPERATORS: all, ...messages })
    const given = { phone, name: 'Water', kind: 'bill' }
    const { body } = await send('operate', 'POST /operator/agents/add', given)
    const { account: keeper, ...named } = till.parse(body)
    expect(named).toEqual({ till: named.till, name: 'Water', kind: 'bill' })
    const kept = 'SMS_API_KEY' in messages ? expect.stringMatching(/^0x/) : undefined
    expect(await ledger.findTillNumber(keeper)).toEqual(kept)
    await send('operate', 'POST /operator/agents/remove', { till: named.till })
    expect(await ledger.findTillNumber(keeper)).toBeUndefined()
  })

  test('are all of those who share OPERATOR_TOKEN, which stays possible alone', async () => {
    const { send, audit } = open({ OPERATOR_TOKEN: tokenOf('money') })
    await send('money', 'POST /operator/hold', { account, action: 'release' })
    expect(await audit()).toMatchObject([{ by: 'operator', action: 'release' }])
    const path = '/operator/status'
    expect((await send('read', `GET ${path}`)).status).toBe(401)
    expect((await open({}).send('money', `GET ${path}`)).status).toBe(404)
  })
})

describe('a session of the console', () => {
  const now = 1_800_000_000_000
  const open = (texts: readonly string[], shared?: string) =>
    createSignIns({
      operators: listOperators(texts, shared),
      sessionSecret: `0x${'5e'.repeat(32)}`,
      clock: { now: () => now },
    })
  const [amina, brian] = [write('amina', 'money'), write('brian', 'read')]

  test('is of the operator whose token was typed, with the role of now', async () => {
    const cookie = `${await open([amina, brian]).begin(tokenOf('amina'))}`
    expect(await open([amina, brian]).read(cookie)).toMatchObject({ actor: { role: 'money' } })
    const lowered = await open([write('amina', 'support')]).read(cookie)
    expect(lowered).toMatchObject({ actor: { name: 'amina', role: 'support' } })
  })

  test('ends with its token: retired, replaced, or in the name of another', async () => {
    const cookie = `${await open([amina, brian]).begin(tokenOf('amina'))}`
    for (const [texts, shared] of [
      [[brian]],
      [[write('amina', 'money', 'another-token')]],
      [[write('brian', 'money', tokenOf('amina'))]],
      [[brian], tokenOf('amina')],
    ] as const)
      expect(await open(texts, shared).read(cookie)).toBeUndefined()
    const first = open([], 'the-first-token')
    const shared = `${await first.begin('the-first-token')}`
    expect(await first.read(shared)).toMatchObject({ actor: { name: 'operator', role: 'money' } })
    expect(await open([], 'another-token').read(shared)).toBeUndefined()
  })

  test('begins though the ledger never answers, and the log says what the audit may lack', async () => {
    let signedIn: Promise<void> | undefined
    const { app, events } = openDeployment({
      variables: { ...required, NODE_URL: 'http://127.0.0.1:1', OPERATORS: amina },
      ledger: (options) => ({
        ...openSqlLedger(openSqlite(), options),
        recordAction: () => new Promise(() => {}),
      }),
      console: ({ operator }) => {
        signedIn = operator.recordSignIn('amina')
        return new Hono()
      },
    })
    app()
    await signedIn
    const message = expect.stringMatching(/^amina signed in, and the audit may lack it: /)
    expect(events).toContainEqual({ level: 'warn', event: 'audit.failed', message })
  })

  test('is no use in another name or with another time, and has a form token of its own', async () => {
    const { begin, read } = open([amina, brian])
    const [cookie, other] = [`${await begin(tokenOf('brian'))}`, `${await begin(tokenOf('brian'))}`]
    const [, endsAt = '', id, signature] = cookie.split('.')
    expect(await read(['brian', endsAt, id, signature].join('.'))).toBeDefined()
    for (const forged of [
      ['amina', endsAt, id, signature],
      ['brian', Number(endsAt) + 1, id, signature],
      ['brian', endsAt, id, hashKey(tokenOf('brian'))],
      ['brian', endsAt, id, ''],
      [''],
    ])
      expect(await read(forged.join('.'))).toBeUndefined()
    expect((await read(cookie))?.csrf).not.toBe((await read(other))?.csrf)
  })

  test('begins with a token alone, and not with what the configuration has of it', async () => {
    const { begin } = open([amina, `carol:money:${hashKey('')}`])
    for (const typed of ['', hashKey(tokenOf('amina')), amina, tokenOf('nobody')])
      expect(await begin(typed)).toBeUndefined()
  })
})
