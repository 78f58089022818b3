import type { MiddlewareHandler } from 'hono'
import { expect, test } from 'vitest'
import { createKeyRoutes } from '../../../src/keys/route.ts'
import { listOperators } from '../../../src/operator/access.ts'
import { createOperatorRoutes } from '../../../src/operator/route.ts'
import { createOperator } from '../../../src/operator/service.ts'

const token = 'a'.repeat(32)
const operators = listOperators([], token)
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

/** Fails if an action asks it for anything: what is refused must reach none. */
const fail = () => Promise.reject(new Error('an action was reached'))
const ledger = new Proxy({}, { get: () => fail })
const operator = createOperator({
  ...{ relayer: { ledger, log: () => {} }, deployment: {} },
  ...{ readCondition: fail, newId: () => 'an id' },
} as never)

const [account, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]

/** Writes members in order, so that a name may stand twice. */
const writeBody = (members: readonly (readonly [string, unknown])[]) =>
  `{${members.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(',')}}`

test.for([
  ['outbid', { nonce: 1 }],
  ['hold', { account, action: 'hold' }],
  ['pin', { phone: '+254700000001', action: 'unblock' }],
  ['wallet', { phone: '+254700000001', name: 'Savings', address: other }],
  ['wallet-code', { name: 'Savings', address: other }],
  ['lookup', { phone: '+254700000001' }],
] as const)(
  '%s refuses a member that is named twice, and does nothing',
  async ([name, request]) => {
    const routes = createOperatorRoutes({ operator, operators, log: () => {} })
    const post = async (body: string) =>
      (await routes.request(`/operator/${name}`, { method: 'POST', headers, body })).status
    const members = Object.entries(request)
    const reached = 503
    expect(await post(writeBody(members))).toBe(reached)
    for (const repeat of members) {
      expect(await post(writeBody([...members, repeat])), `${repeat}`).toBe(400)
      expect(await post(writeBody([[repeat[0], null], ...members])), `${repeat}`).toBe(400)
    }
  },
)

test('a query that names a parameter twice is refused', async () => {
  const routes = createOperatorRoutes({ operator, operators, log: () => {} })
  for (const path of ['payments?state=mined&state=queued', 'loans?state=open&st%61te=open']) {
    expect((await routes.request(`/operator/${path}`, { headers })).status).toBe(400)
  }
})

test('an API key whose request names its quota twice is refused', async () => {
  const store = () => {
    throw new Error('the store was asked')
  }
  const options = { store, chainIds: [31], now: Date.now, record: fail }
  const guard: MiddlewareHandler = (_, next) => next()
  const routes = createKeyRoutes({ ...options, guard, isServed: () => true })
  const body = `{"hash":"${'a'.repeat(64)}","name":"x","dailyCalls":1,"dailyCalls":null}`
  expect((await routes.request('/', { method: 'POST', headers, body })).status).toBe(400)
})
