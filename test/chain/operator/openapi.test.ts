import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer } from '../../../scripts/dev/loopback-server.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { opened } from '../../support/opened.ts'
import { describedOperations } from './described.ts'
import { authorized, dial, give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const phone = '+254700000061'

test('each operator route is documented, and its requests and answers match the document', async () => {
  const webhook = await startLoopbackServer(async (_, response) => void response.end())
  const deployment = openOperated(chain, {
    ALERT_WEBHOOK_URL: webhook.url,
    ALERT_WEBHOOK_SECRET: 'a-secret-for-the-webhook',
  })
  const routes = deployment.app().routes.filter(({ path }) => /^\/operator\/[^*]/.test(path))
  const served = routes.map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)(\{.+\})?$/, '{$1}')}`,
  )
  expect(served.sort()).toEqual(describedOperations)

  const account = await give(chain, phone)
  const wallet = privateKeyToAccount(generatePrivateKey()).address
  const pay = (sessionId: string, text: string) => dial(deployment, { phone, sessionId, text })
  expect(await pay('first', `2*${wallet}*0.25`)).toContain('END Transfer Submitted')
  await pay('refused', `2*${wallet}*9`)
  await deployment.allDone()
  const offered = { currency: 'KES', micros: 7n, maxChangePercent: 25, isAgreed: false }
  await deployment.ledger.judgeRate(offered)
  const rpc = createRpcCall(chain.anvil.url)
  await rpc('evm_setAutomine', [false])
  expect(await pay('waits', `2*${wallet}*0.125`)).toContain('END Transfer Submitted')
  const [signed] = (await deployment.payments('?state=signed')).payments
  const { intent, nonce } = signed ?? { intent: '', nonce: -1 }
  const { body: exported } = await deployment.ask('/operator/export', { headers: authorized })
  const key = `${Math.floor(Date.now() / 1_000)}-the-only-key-of-this`

  /** Lists a request for each operation; those that change the intake come last. */
  const asked: Record<string, unknown> = {
    ...{ 'GET /operator/status': '', 'GET /operator/alerts': '', 'GET /operator/audit': '' },
    ...{ 'GET /operator/payments/{intent}': '', 'GET /operator/loans.csv': '' },
    'GET /operator/payments': '?limit=1&archived=false',
    'GET /operator/export': '?part=0&from=0',
    'GET /operator/loans': '?state=owed&limit=5',
    'POST /operator/outbid': { nonce },
    'POST /operator/rate': { price: '12345678.9' },
    'POST /operator/lookup': { phone },
    'POST /operator/find': { text: phone },
    'POST /operator/session': { phone, gateway: 'africas-talking', sessionId: 'refused' },
    'POST /operator/cash-out': { phone, to: wallet, amount: '0.125', key },
    'POST /operator/person/export': { phone },
    'POST /operator/person/erase': { phone },
    'POST /operator/wallet': { phone, name: 'Savings', address: wallet },
    'POST /operator/wallet-code': { name: 'Savings', address: wallet },
    'POST /operator/agents/add': { phone, name: 'Shop', kind: 'agent' },
    'POST /operator/test-alert': undefined,
    'POST /operator/agents': undefined,
    'POST /operator/agents/remove': 'the till of above',
    'POST /operator/deposit': { phone },
    'POST /operator/pin': { phone, action: 'unblock' },
    'POST /operator/hold': { account, action: 'hold' },
    'POST /operator/pause': undefined,
    'POST /operator/alias': { kept: 0 },
    'POST /operator/drain': { nextAccountKey: 'ab'.repeat(16) },
    'POST /operator/import': exported,
    'POST /operator/resume': undefined,
    'POST /operator/set-back': { to: new Date().toISOString() },
  }
  expect(Object.keys(asked).sort()).toEqual(describedOperations)
  let till = ''
  for (const [operation, example] of Object.entries(asked)) {
    const given = operation.endsWith('agents/remove') ? { till } : example
    const [method = '', path = ''] = operation.split(' ')
    const isRead = method === 'GET'
    const place = `${path.replace('{intent}', intent)}${isRead ? given : ''}`
    const ask = (body: string | null) =>
      deployment.ask(place, { method, headers: authorized, body })
    const { status, body } = await ask(isRead || !given ? null : JSON.stringify(given))
    // Only Cloudflare keeps a history to go back in.
    const isDone = path !== '/operator/set-back'
    expect({ operation, status, body }).toMatchObject({ status: isDone ? 200 : 409 })
    if (path === '/operator/agents/add') till = (body as { till: string }).till
    const takesNothing = isRead || /pause|resume|agents$|test-alert/.test(path)
    if (!takesNothing) expect([operation, (await ask('[')).status]).toEqual([operation, 400])
  }
  await webhook.close()
})
