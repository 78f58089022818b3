import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, type ExpectStatic, test } from 'vitest'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { type RpcCall, rpcTo } from '../../../scripts/dev/rpc.ts'
import { examine } from '../../../scripts/ops/doctor.ts'
import { statusLines } from '../../../scripts/ops/show.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import {
  type AlertName,
  type CheckName,
  healthAnswer,
  statusAnswer,
} from '../../../src/operator/answers.ts'
import { alertMessage } from '../../../src/operator/webhook.ts'
import { type Deployment, openDeployment } from '../../support/deployment.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { startSmsServer } from '../../support/sms-server.ts'

const token = 'the-token-of-this-test'
const phone = '+254700000001'
const recipient = '0x00000000000000000000000000000000000b0b0b'
const folder = mkdtempSync(join(tmpdir(), 'incidents-'))

let chain: TestChain
let rpc: RpcCall
let databases = 0

beforeAll(async () => {
  chain = await startChain()
  rpc = rpcTo(chain.anvil.url)
  const secret = chain.bindings.ACCOUNT_KEY_SECRET as Hex
  const { address } = await callerAccount(secret, parseCaller(phone) as PhoneNumber)
  await asOwner({ functionName: 'depositFor', args: [address] }, parseEther('1'))
})
afterAll(async () => {
  await chain?.stop()
  rmSync(folder, { recursive: true })
})

type OwnersCall = Omit<Parameters<typeof encodeFunctionData<typeof microLoanAbi>>[0], 'abi'>

async function asOwner(call: OwnersCall, wei = 0n): Promise<void> {
  const [from] = (await rpc('eth_accounts')) as string[]
  const data = encodeFunctionData({ abi: microLoanAbi, ...call } as Parameters<
    typeof encodeFunctionData<typeof microLoanAbi>
  >[0])
  await rpc('eth_sendTransaction', [{ from, to: chain.loan, data, value: `0x${wei.toString(16)}` }])
  await rpc('evm_mine')
}

/** A deployment that can be asked over HTTP, whose alerts come to this program, and whose node can die. */
async function openWorld(
  changes: Record<string, string> = {},
  database = '',
  memory = createMemoryStore(),
) {
  const told: string[] = []
  const node = { isDead: false }
  const webhook = await startLoopbackServer(async (request, response) => {
    const { name, state, says } = alertMessage.parse(JSON.parse(await textOf(request)))
    told.push(`${name} ${state}: ${says}`)
    response.end()
  })
  databases += 1
  const deployment = openDeployment({
    memory,
    database: database || join(folder, `${databases}.sqlite`),
    variables: {
      ...{ ...chain.bindings, OPERATOR_TOKEN: token, ...changes },
      ...{ ALERT_WEBHOOK_URL: webhook.url, ALERT_WEBHOOK_SECRET: 'a-secret-for-the-webhook' },
    },
    fetch: (input, init) => {
      const isNode = `${input}`.startsWith(chain.anvil.url)
      // Nothing listens there.
      return fetch(isNode && node.isDead ? 'http://127.0.0.1:9' : input, init)
    },
  })
  const served = await startLoopbackServer(async (request, response) => {
    const sent = await textOf(request)
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ])
    const { status, body } = await deployment.ask(request.url ?? '/', {
      ...{ method: request.method ?? 'GET', headers },
      body: sent === '' ? null : sent,
    })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  /** Minutes in which nothing is dialled: the cron begins a round in each. */
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      deployment.pass(60_000)
      await deployment.round()
      await deployment.settled()
    }
  }
  const stop = () => Promise.all([webhook.close(), served.close()])
  return { deployment, told, node, url: served.url, pass, stop }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Everything that tells an operator how things are. */
async function look({ deployment, url, told }: World) {
  deployment.pass(3_000)
  const { status, body } = await deployment.ask('/readyz')
  const headers = { authorization: `Bearer ${token}` }
  const shown = statusAnswer.safeParse((await deployment.ask('/operator/status', { headers })).body)
  const findings = await examine(url, { OPERATOR_TOKEN: token })
  await deployment.settled()
  return {
    ready: { status, failing: healthAnswer.parse(body).failing },
    alerts: shown.data?.alerts ?? [],
    lines: shown.data === undefined ? [] : statusLines(shown.data),
    doctor: findings
      .filter(({ state }) => state === 'bad')
      .map(({ name, says }) => `${name}: ${says}`),
    told: [...told],
  }
}

type Incident = {
  name: string
  changes?: Record<string, string>
  make: (world: World) => Promise<unknown>
  mend: (world: World) => Promise<unknown>
  /** What health calls it; undefined where payments can be carried all the same. */
  check?: CheckName
  alert: AlertName
  remedy: RegExp
  /** Idle minutes until it is told: two, but where it is one only after some time. */
  after?: number
}

const dial = ({ deployment }: World, sessionId: string, to = recipient) =>
  deployment.ask('/ussd', {
    method: 'POST',
    body: new URLSearchParams({ phoneNumber: phone, sessionId, text: `2*${to}*0.01` }),
  })

const setBalance = (ether: string) =>
  rpc('anvil_setBalance', [chain.relayer, `0x${parseEther(ether).toString(16)}`])

/** A block of the deployment's time. From then on the chain is ahead of those that begin later. */
async function setChainTo({ ledger }: Deployment): Promise<void> {
  const { now } = await ledger.vitals()
  await rpc('evm_setNextBlockTimestamp', [Math.floor(now / 1_000) + 60])
  await rpc('evm_mine')
}

const incidents: readonly Incident[] = [
  {
    name: 'an empty relayer',
    make: () => setBalance('0'),
    mend: () => setBalance('100'),
    ...{
      check: 'relayer_funds',
      alert: 'relayer_low',
      remedy: /Send [0-9.]+ there; nothing is lost\.$/,
    },
  },
  {
    name: 'a dead node',
    make: async ({ node }) => {
      node.isDead = true
    },
    mend: async ({ node }) => {
      node.isDead = false
    },
    ...{
      check: 'node',
      alert: 'node_down',
      remedy: /Look at the node, or name another in NODE_URL\.$/,
    },
  },
  {
    name: 'a paused pool',
    make: () => asOwner({ functionName: 'pause' }),
    mend: () => asOwner({ functionName: 'unpause' }),
    ...{ check: 'contracts', alert: 'contracts', remedy: /Unpause them, or compare the addresses/ },
  },
  {
    name: 'a stuck nonce',
    async make(world) {
      await rpc('evm_setAutomine', [false])
      await dial(world, 'stuck')
    },
    async mend() {
      await rpc('evm_mine')
      await rpc('evm_setAutomine', [true])
    },
    ...{ alert: 'stuck', remedy: /Outbid its nonce, or raise MAX_GAS_PRICE_WEI\.$/ },
    // Three times the time after which it is outbid.
    after: 4,
  },
  {
    name: 'a node that stands still',
    changes: { POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` },
    make: async () => undefined,
    mend: ({ deployment }) => setChainTo(deployment),
    ...{ check: 'node', alert: 'node_down', remedy: /Look at the node, or name another/ },
    // Twenty times the time in which a block comes.
    after: 12,
  },
  {
    name: 'a spent budget',
    changes: { UPSTREAM_CALLS_A_DAY: '24', UPSTREAM_RESERVE: '0' },
    // Rounds alone spend it, two calls a minute.
    make: ({ pass }) => pass(9),
    // The next day has calls again. The chain is in it, too.
    async mend({ deployment }) {
      deployment.pass(24 * 60 * 60 * 1000)
      await setChainTo(deployment)
    },
    ...{ check: 'upstream_budget', alert: 'budget', remedy: /Raise UPSTREAM_CALLS_A_DAY/ },
  },
]

describe('an incident is named by readiness, status, webhook, ops and doctor, with its remedy, and cleared', () => {
  test('namely a wrong secret', async ({ expect }) => {
    const database = join(folder, 'secret.sqlite')
    const right = await openWorld({}, database)
    await dial(right, 'right')
    await right.pass(1)
    const wrong = await openWorld({ ACCOUNT_KEY_SECRET: `0x${'77'.repeat(32)}` }, database)
    await wrong.pass(2)
    const bad = await look(wrong)
    const remedy = /ACCOUNT_KEY_SECRET\. Put the former values back/
    expectNamed(expect, bad, { check: 'identity', alert: 'identity', remedy })
    expect(JSON.stringify(bad)).not.toContain('7777')
    const mended = await openWorld({}, database)
    await mended.pass(8)
    const good = await look(mended)
    expect(good).toMatchObject({ ready: { status: 200 }, alerts: [], doctor: [] })
    expect(good.told).toEqual([expect.stringMatching(/^identity cleared/)])
    await Promise.all([right, wrong, mended].map(({ stop }) => stop()))
  })

  test('namely a torn ledger, which can keep no alert: readiness and doctor name it', async ({
    expect,
  }) => {
    const database = join(folder, 'torn.sqlite')
    const world = await openWorld({}, database)
    await world.pass(1)
    const whole = readFileSync(database)
    writeFileSync(database, Buffer.alloc(whole.length, 0xff))
    world.deployment.pass(20_000)
    const bad = await look(world)
    expect(bad.ready).toEqual({ status: 503, failing: ['ledger'] })
    expect(bad.doctor).toEqual(
      expect.arrayContaining([expect.stringMatching(/^ledger: The ledger gives no answer/)]),
    )
    const events = world.deployment.events.map(({ event }) => event)
    expect(events).toContain('ledger.silent')
    writeFileSync(database, whole)
    const mended = await openWorld({}, database)
    await mended.pass(1)
    expect(await look(mended)).toMatchObject({ ready: { status: 200 }, doctor: [] })
    await Promise.all([world.stop(), mended.stop()])
  })

  for (const { name, changes, make, mend, check, alert, remedy, after = 2 } of incidents) {
    test(`namely ${name}`, async ({ expect }) => {
      const world = await openWorld(changes)
      await rpc('evm_mine')
      await world.pass(1)
      expect(await look(world)).toMatchObject({ ready: { status: 200 }, alerts: [], doctor: [] })
      await make(world)
      await world.pass(after)
      const bad = await look(world)
      expectNamed(expect, bad, { check, alert, remedy })
      await mend(world)
      // An alert is cleared once it has been over for two minutes.
      await world.pass(6)
      const good = await look(world)
      expect(good).toMatchObject({ ready: { status: 200, failing: [] }, alerts: [], doctor: [] })
      expect(good.told.map((line) => line.split(':')[0])).toEqual([
        `${alert} raised`,
        `${alert} cleared`,
      ])
      await world.stop()
    })
  }
})

describe('messages to phones', () => {
  const friend = '+254700000002'

  async function openTelling() {
    const provider = await startSmsServer()
    const { apiKey, username } = provider.account
    const settings = { SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_URL: provider.url }
    return { provider, settings }
  }

  const countsOf = async ({ deployment }: World) => (await deployment.ledger.vitals()).counts

  test('from a provider that is down harm nothing else, and those that were not lost come once it is back', async ({
    expect,
  }) => {
    const { provider, settings } = await openTelling()
    const database = join(folder, 'messages.sqlite')
    const world = await openWorld(settings, database)
    provider.answer(() => 'nothing')
    for (const session of ['one', 'two']) {
      const { body } = await dial(world, session, friend)
      expect(body).toMatch(/^END Transfer Submitted\n/)
    }
    await world.deployment.settled()
    expect(provider.asked).toEqual([])
    await world.pass(1)
    expect(await countsOf(world)).toMatchObject({ 'Transfer.executed': 2, 'sms.unknown': 1 })
    const shown = await look(world)
    expect(shown).toMatchObject({ ready: { status: 200 }, alerts: [], doctor: [] })
    provider.answer(undefined)
    await world.pass(3)
    const counts = await countsOf(world)
    expect(counts).toMatchObject({ 'sms.unknown': 1, 'sms.sent': 3 })
    expect(new Set(provider.asked.map(({ to }) => to))).toEqual(new Set([phone, friend]))
    expect(provider.asked).toHaveLength(4)
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await world.deployment.ask('/metrics', { headers })
    expect(body).toContain('relay_sms_total{fate="unknown"} 1\n')
    expect(body).toContain('relay_sms_total{fate="sent"} 3\n')
    expect(body).not.toContain('label="sms"')
    const told = JSON.stringify(world.deployment.events)
    const kept = readFileSync(database, 'latin1')
    for (const number of [phone, friend]) {
      expect(kept).not.toContain(number.slice(1))
      expect(told).not.toContain(number.slice(1))
    }
    await Promise.all([world.stop(), provider.close()])
  })

  test('that have left are not sent again from a ledger that was set back', async ({ expect }) => {
    const { provider, settings } = await openTelling()
    const [database, former] = ['told', 'set-back'].map((name) => join(folder, `${name}.sqlite`))
    const memory = createMemoryStore()
    const world = await openWorld(settings, database, memory)
    await dial(world, 'set back', friend)
    await world.deployment.settled()
    copyFileSync(database ?? '', former ?? '')
    await world.pass(1)
    expect(provider.asked).toHaveLength(2)
    const setBack = await openWorld(settings, former, memory)
    await setBack.pass(1)
    expect(await countsOf(setBack)).toMatchObject({ 'Transfer.executed': 1, 'sms.known': 2 })
    expect(provider.asked).toHaveLength(2)
    await Promise.all([world.stop(), setBack.stop(), provider.close()])
  })
})

function expectNamed(
  expect: ExpectStatic,
  bad: Awaited<ReturnType<typeof look>>,
  { check, alert, remedy }: { check?: CheckName | undefined; alert: AlertName; remedy: RegExp },
): void {
  expect(bad.ready.failing).toEqual(check === undefined ? [] : [check])
  expect(bad.ready.status).toBe(check === undefined ? 200 : 503)
  expect(bad.alerts).toMatchObject([{ name: alert, says: expect.stringMatching(remedy) }])
  const [{ says } = { says: '' }] = bad.alerts
  expect(bad.told.map((line) => line.slice(0, `${alert} raised`.length))).toEqual([
    `${alert} raised`,
  ])
  expect(bad.lines[0]).toMatch(/^ALERT since /)
  expect(bad.lines[0]).toMatch(remedy)
  expect(bad.doctor).toContain(`alert: ${says}`)
  if (check !== undefined) {
    expect(bad.doctor).toEqual(expect.arrayContaining([expect.stringMatching(`^${check}: `)]))
  }
}
