import type { Page } from 'playwright-core'
import { numberToHex, parseEther } from 'viem'
import { beforeAll, describe, type ExpectStatic, expect, test } from 'vitest'
import { isThere } from '../../../scripts/debian.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startFaultProxy } from '../../../scripts/dev/faults/fault-proxy.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { callAsOwner, createCallers, deposit } from '../../../scripts/dev/relays/callers.ts'
import { startDenoRelays } from '../../../scripts/dev/relays/deno-relays.ts'
import { startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { examine } from '../../../scripts/ops/doctor.ts'
import { createOperatorClient } from '../../../scripts/ops/operator-client.ts'
import { describeStatus } from '../../../scripts/ops/show.ts'
import { alertMessage } from '../../../src/operator/alerting/webhook.ts'
import type { AlertName } from '../../../src/operator/schemas/alerts.ts'
import { type CheckName, healthAnswer } from '../../../src/operator/schemas/health.ts'
import { opened } from '../../support/opened.ts'
import { openBrowser, says } from '../../support/pages/browser.ts'
import { sampleOf } from '../../support/sample.ts'
import { startSmsServer } from '../../support/sms-server.ts'
import { token } from './operating.ts'

const { openConsole } = openBrowser()
const runtime = process.env.SERVED_BY === 'deno' ? 'Deno' : 'workerd'
const start = runtime === 'Deno' ? startDenoRelays : startRelayWorkers

/** Is an hour behind: to who looks at the clock it stands still. */
const begun = Math.floor(Date.now() / 1_000) - 3_600
const chain = opened(() => startChain(['--timestamp', `${begun}`]))
const faults = opened(() => startFaultProxy({ target: chain.anvil.url }))
const provider = opened(startSmsServer)
const told: string[] = []
const webhook = opened(() =>
  startLoopbackServer(async (request, response) => {
    const { name, state, says } = alertMessage.parse(JSON.parse(await textOf(request)))
    const isSigned = `${request.headers['relay-signature']}`.startsWith('v1=')
    told.push(`${isSigned ? '' : 'unsigned '}${name} ${state}: ${says}`)
    response.end()
  }),
)

/** Limits the time until an open console shows a change. */
const shownWithinMs = 15_000

/** Has money. */
let phone: string
let relay: Awaited<ReturnType<typeof start>>

beforeAll(async () => {
  const [caller] = await createCallers(chain, 1)
  if (caller === undefined) throw new Error('there is no caller')
  phone = caller.phone
  await deposit(chain, [caller.account.address], parseEther('1'))
  const variables = {
    ...{ ...chain.bindings, NODE_URL: faults.url, OPERATOR_TOKEN: token },
    ...{ ALERT_WEBHOOK_URL: webhook.url, ALERT_WEBHOOK_SECRET: 'a-secret-for-the-webhook' },
    ...provider.variables,
    // A minute of Rootstock passes in about two seconds: what waits for blocks waits for as many of
    // them.
    BLOCK_SECONDS: '1',
  }
  // Where it begins again a browser finds it at the same address.
  relay = await start({ workers: 1, variables, port: await freePort() })
  return relay.stop
})

type Stop = () => Promise<unknown>

type Incident = {
  name: string
  /** Has it happen; resolves to what mends it. */
  make: () => Promise<Stop>
  /** Names the health check; undefined if payments are still possible. */
  check?: CheckName
  /** `ledger_silent` is kept in no ledger. */
  alert: AlertName | 'ledger_silent'
  remedy: RegExp
  /** Lists more words of the console, by path. */
  pages?: Record<string, RegExp>
}

function dial(text: string, from = phone): Promise<Response> {
  const form = { phoneNumber: from, sessionId: `incident ${text}`, text }
  return fetch(`${relay.url}/ussd`, { method: 'POST', body: new URLSearchParams(form) })
}

const setBalance = (ether: string) =>
  chain.anvil.ask('anvil_setBalance', [chain.relayer, numberToHex(parseEther(ether))])

/** Begins again with the rows that it had and with other variables, until it is mended. */
async function restarted(changes: Record<string, string>): Promise<Stop> {
  await relay.restart('kept', changes)
  return () => relay.restart('kept')
}

const incidents: readonly Incident[] = [
  {
    name: 'an empty relayer',
    make: () => setBalance('0').then(() => () => setBalance('100')),
    ...{ check: 'relayer_funds', alert: 'relayer_low' },
    remedy:
      /Top up to [0-9.]+ for [0-9]+ payments \(([0-9.]+) .*relayers top-up \1`?\)\. Waiting payments are kept/,
    pages: {
      '': /Payments are refused.*relayers top-up 0\.\d.*May be lent today9\.99 tRBTC/s,
    },
  },
  {
    name: 'a dead node',
    make: () => faults.refuse().then(() => faults.accept),
    ...{ check: 'node', alert: 'node_down' },
    remedy:
      /No node (has answered for [1-9]\d* s|answers): the last was asked \d+ s ago\. Repair the node, or name another one in NODE_URL/,
  },
  {
    name: 'a price above the highest',
    async make() {
      const change = (answer: object) => ({ ...answer, result: numberToHex(10n ** 15n) })
      faults.script({ fault: { kind: 'changed', change }, methods: ['eth_gasPrice'] })
      return async () => faults.clear()
    },
    ...{ check: 'gas_price', alert: 'price_high' },
    remedy:
      /asks 10{15} wei .* MAX_GAS_PRICE_WEI is \d+\. So high .* compare another or an explorer first\. Raise MAX_GAS_PRICE_WEI, or wait/,
  },
  {
    name: 'a paused pool',
    make: () => callAsOwner(chain, 'pause').then(() => () => callAsOwner(chain, 'unpause')),
    ...{ check: 'contracts', alert: 'contracts', remedy: /Unpause them, or compare the addresses/ },
    pages: { '': /Payments are taken, and 1 thing needs you.*May be lent todaynothing now/s },
  },
  {
    name: 'a wrong secret',
    make: () => dial('1').then(() => restarted({ ACCOUNT_KEY_SECRET: `0x${'77'.repeat(32)}` })),
    ...{ check: 'identity', alert: 'identity' },
    remedy: /ACCOUNT_KEY_SECRET\. Put the former values/,
  },
  {
    name: 'a torn ledger',
    make: () => relay.tear(),
    ...{ check: 'ledger', alert: 'ledger_silent' },
    remedy: runtime === 'Deno' ? /: look at Redis/ : /: look at the Durable Object/,
    pages: { '/loans': /Sign out.*Overview.*Payments.*No answer/s },
  },
  {
    name: 'a stuck nonce',
    async make() {
      const methods = ['eth_sendRawTransaction']
      faults.script({ fault: { kind: 'drop_request' }, methods })
      await dial('2*0x00000000000000000000000010000000000b0b0b*0.01')
      return async () => faults.clear()
    },
    alert: 'stuck',
    remedy:
      /Nonce \d+ has waited for a block since \S+( \S+)?: the node did not accept it in the last .* name another node in NODE_URL\./,
  },
  {
    name: 'a spent budget',
    make: () => restarted({ UPSTREAM_CALLS_A_DAY: '3' }),
    ...{ check: 'upstream_budget', alert: 'budget', remedy: /Raise UPSTREAM_CALLS_A_DAY/ },
  },
  {
    name: 'a chain without new blocks',
    async make() {
      await restarted({ POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` })
      return async () => {
        await chain.anvil.ask('evm_setNextBlockTimestamp', [Math.floor(Date.now() / 1_000)])
        await chain.anvil.ask('evm_setIntervalMining', [1])
      }
    },
    ...{ check: 'node', alert: 'node_down' },
    remedy:
      /Block \d+ is \d+ s old: nodes answer, but their chain has had no new block since \S+( \S+)?\. Repair the node/,
    pages: { '/system': /able, but see the checks.*no new block since/s },
  },
]

describe(`an incident on ${runtime} is named by readiness, status, webhook, ops, doctor and console, with its remedy, and cleared`, () => {
  /** Runs the cron's rounds until this holds. */
  const rounds = (holds: () => Promise<boolean>) =>
    until(async () => {
      await relay.wake().catch(() => undefined)
      return await holds()
    })

  test(`a message on ${runtime} reaches its phone once, after the round that finds the outcome final`, async () => {
    const to = '+254700000002'
    const answer = await dial('3', to)
    expect(await answer.text()).toMatch(/^END Loan Requested\n/)
    await rounds(async () => provider.asked.length > 0)
    const headers = { authorization: `Bearer ${token}` }
    await rounds(async () => {
      const metrics = await fetch(`${relay.url}/metrics`, { headers })
      return (await metrics.text()).includes('relay_sms_total{fate="sent"} 1\n')
    })
    const text = /^Your account was credited with your loan of 0.01 tRBTC.\nRef: \d{3}-\d{4}, \d/
    expect(provider.asked).toEqual([{ to, text: expect.stringMatching(text), from: null }])
  })

  test.for(sampleOf(2, incidents, `incidents on ${runtime}`))('namely $name', async (incident) => {
    const { make, alert, check } = incident
    const isWell = async () => {
      const { ready, alerts, doctor } = await look()
      return ready.status === 200 && alerts.length + doctor.length === 0
    }
    await rounds(isWell)
    const hasBrowser = isThere('chromium-headless-shell')
    const page = hasBrowser ? await openConsole(relay.url, token) : undefined
    told.length = 0
    const mend = await make()
    try {
      let seen = { ...(await look()), told }
      await rounds(async () => {
        // Nothing is asked for until it was told: what tells it is the cron alone.
        if (told.length > 0) seen = { ...(await look()), told }
        const isKept = alert === 'ledger_silent' || seen.alerts.some(({ name }) => name === alert)
        if (told.length === 0 || !isSaidTwice(seen, check)) return false
        return seen.ready.failing.join() === (check ?? '') && isKept
      })
      expectNamed(expect, seen, incident)
      if (page !== undefined) await expectShown(page, incident)
    } finally {
      await mend()
    }
    // A Worker begins again for a torn ledger: no process knows then that it told of it.
    const isForgotten = alert === 'ledger_silent' && runtime === 'workerd'
    const whole = isForgotten ? ['raised'] : ['raised', 'cleared']
    await rounds(async () => told.length === whole.length && (await isWell()))
    expect(told.map((line) => line.split(':')[0])).toEqual(whole.map((one) => `${alert} ${one}`))
    if (page === undefined) return
    await says(page, '#taken', 'Payments are taken.', shownWithinMs)
    await expect.poll(() => page.locator('body').textContent()).not.toMatch(incident.remedy)
  })
})

/** Expects the remedy on an open page of the console and on others. */
async function expectShown(page: Page, { remedy, pages = {} }: Incident): Promise<void> {
  await says(page, 'body', remedy, shownWithinMs)
  for (const [path, words] of Object.entries(pages)) {
    await page.goto(`${relay.url}/console${path}`)
    await says(page, 'body', words)
    await page.goto(`${relay.url}/console`)
  }
}

/** Reads everything that shows an operator the status. */
async function look() {
  const { url } = relay
  const operator = createOperatorClient({ origin: url, token, nodeUrl: undefined })
  const status = await operator.status().catch((error: Error) => error.message)
  const findings = await examine(url, { OPERATOR_TOKEN: token })
  const response = await fetch(`${url}/readyz`)
  const { failing } = healthAnswer.parse(await response.json())
  return {
    ready: { status: response.status, failing },
    alerts: typeof status === 'string' ? [] : status.alerts,
    lines: typeof status === 'string' ? [status] : describeStatus(status),
    doctor: findings.flatMap((one) => (one.state === 'bad' ? `${one.name}: ${one.says}` : [])),
  }
}

function expectNamed(
  expect: ExpectStatic,
  { ready, alerts, lines, doctor, told }: Awaited<ReturnType<typeof look>> & { told: string[] },
  { check, alert, remedy }: Incident,
): void {
  expect(ready).toEqual({ status: check ? 503 : 200, failing: check ? [check] : [] })
  expect(told).toEqual([expect.stringMatching(`^${alert} raised: `)])
  expect(told).toEqual([expect.stringMatching(remedy)])
  expect(lines).toContainEqual(expect.stringMatching(remedy))
  expect(JSON.stringify({ lines, doctor, told })).not.toContain('7777')
  expect(doctor.join()).not.toContain('OPERATOR_TOKEN')
  expect(doctor).toContainEqual(expect.stringMatching(remedy))
  if (alert === 'ledger_silent') return
  expect(alerts).toMatchObject([{ name: alert, says: expect.stringMatching(remedy) }])
  expect(lines[0]).toMatch(/^ALERT since /)
}

/** Tells whether doctor names the check, and what status says: counts and times go on between. */
function isSaidTwice({ alerts, doctor }: Awaited<ReturnType<typeof look>>, check = 'alert') {
  const bare = (words: string) => words.replaceAll(/\d+/g, 'N')
  const wanted = [`${check}: `, ...alerts.map(({ says }) => `alert: ${says}`)].map(bare)
  return wanted.every((start) => doctor.some((one) => bare(one).startsWith(start)))
}
