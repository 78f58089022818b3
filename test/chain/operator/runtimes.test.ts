import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { type FaultProxy, startFaultProxy } from '../../../scripts/dev/faults/fault-proxy.ts'
import {
  type LoopbackServer,
  startLoopbackServer,
  textOf,
} from '../../../scripts/dev/loopback-server.ts'
import { startDenoRelays } from '../../../scripts/dev/relays/deno-relays.ts'
import { type RelayWorkers, startRelayWorkers } from '../../../scripts/dev/relays/relay-workers.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { examine } from '../../../scripts/ops/doctor.ts'
import { statusLines } from '../../../scripts/ops/show.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import {
  type AlertName,
  type CheckName,
  healthAnswer,
  statusAnswer,
} from '../../../src/operator/answers.ts'
import { alertMessage } from '../../../src/operator/webhook.ts'
import { sampleOf } from '../../support/sample.ts'
import { type SmsServer, startSmsServer } from '../../support/sms-server.ts'

const token = 'the-token-of-this-test'
const headers = { authorization: `Bearer ${token}` }
const runtime = process.env.SERVED_BY === 'deno' ? 'Deno' : 'workerd'

let chain: TestChain
let faults: FaultProxy
let relay: RelayWorkers
let webhook: LoopbackServer
let provider: SmsServer
const told: string[] = []

beforeAll(async () => {
  // An hour ago: to who looks at the clock it stands still.
  chain = await startChain(['--timestamp', `${Math.floor(Date.now() / 1_000) - 3_600}`])
  faults = await startFaultProxy({ target: chain.anvil.url, seed: 1 })
  webhook = await startLoopbackServer(async (request, response) => {
    const { name, state, says } = alertMessage.parse(JSON.parse(await textOf(request)))
    told.push(`${name} ${state}: ${says}`)
    response.end()
  })
  provider = await startSmsServer()
  const { apiKey, username } = provider.account
  const start = runtime === 'Deno' ? startDenoRelays : startRelayWorkers
  relay = await start({
    workers: 1,
    variables: {
      ...{ ...chain.bindings, NODE_URL: faults.url, OPERATOR_TOKEN: token },
      ...{ ALERT_WEBHOOK_URL: webhook.url, ALERT_WEBHOOK_SECRET: 'a-secret-for-the-webhook' },
      ...{ SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_URL: provider.url },
    },
  })
})
afterAll(async () => {
  await relay?.stop()
  await faults?.stop()
  await webhook?.close()
  await provider?.close()
  await chain?.stop()
})

const setBalance = (wei: string) => rpcTo(chain.anvil.url)('anvil_setBalance', [chain.relayer, wei])

async function asOwner(functionName: 'pause' | 'unpause'): Promise<void> {
  const rpc = rpcTo(chain.anvil.url)
  const [from] = (await rpc('eth_accounts')) as string[]
  const data = encodeFunctionData({ abi: microLoanAbi, functionName })
  await rpc('eth_sendTransaction', [{ from, to: chain.loan, data }])
}

type Incident = {
  name: string
  check: CheckName
  alert: AlertName
  remedy: RegExp
  /** Variables of the deployment that has it. */
  changes?: Record<string, string>
  make?: () => Promise<unknown>
  mend?: () => Promise<unknown>
  /** The ledger was begun by the right deployment. */
  rows?: 'kept'
}

const incidents: readonly Incident[] = [
  {
    name: 'an empty relayer',
    make: () => setBalance('0x0'),
    mend: () => setBalance('0x56bc75e2d63100000'),
    ...{
      check: 'relayer_funds',
      alert: 'relayer_low',
      remedy: /Send [0-9.]+ there; nothing is lost\.$/,
    },
  },
  {
    name: 'a dead node',
    make: () => faults.refuse(),
    mend: () => faults.accept(),
    ...{
      check: 'node',
      alert: 'node_down',
      remedy: /Look at the node, or name another in NODE_URL\.$/,
    },
  },
  {
    name: 'a node that stands still',
    changes: { POOL_RULES: 'rootstock', BLOCK_SECONDS: '2', MAX_GAS_PRICE_WEI: '100000000000' },
    ...{
      check: 'node',
      alert: 'node_down',
      remedy: /Block \d+ is 3\d\d\d s old\. Look at the node/,
    },
  },
  {
    name: 'a paused pool',
    make: () => asOwner('pause'),
    mend: () => asOwner('unpause'),
    ...{ check: 'contracts', alert: 'contracts', remedy: /Unpause them/ },
  },
  {
    name: 'a spent budget',
    changes: { UPSTREAM_CALLS_A_DAY: '3', UPSTREAM_RESERVE: '0' },
    ...{ check: 'upstream_budget', alert: 'budget', remedy: /Raise UPSTREAM_CALLS_A_DAY/ },
  },
  {
    name: 'a wrong secret',
    rows: 'kept',
    changes: { ACCOUNT_KEY_SECRET: `0x${'77'.repeat(32)}` },
    ...{
      check: 'identity',
      alert: 'identity',
      remedy: /ACCOUNT_KEY_SECRET\. Put the former values back/,
    },
  },
]

const health = async () => {
  const response = await fetch(`${relay.url}/readyz`)
  return { code: response.status, ...healthAnswer.parse(await response.json()) }
}

/** Rounds, as the cron begins them, until health says so. */
async function untilFailing(names: readonly CheckName[]): Promise<void> {
  await until(async () => {
    await relay.wake()
    const { failing } = await health()
    return failing.join() === names.join()
  })
}

test(`a message on ${runtime} reaches its phone once, after the round that finds the outcome final`, async ({
  expect,
}) => {
  const phone = '+254700000002'
  const form = { phoneNumber: phone, sessionId: 'message', text: '3' }
  const dialled = { method: 'POST', body: new URLSearchParams(form) }
  const answer = await fetch(`${relay.url}/ussd`, dialled)
  expect(await answer.text()).toMatch(/^END Loan Requested\n/)
  await until(async () => {
    await relay.wake()
    return provider.asked.length > 0
  })
  const sent = 'relay_sms_total{fate="sent"} 1\n'
  await until(async () => {
    await relay.wake()
    return (await (await fetch(`${relay.url}/metrics`, { headers })).text()).includes(sent)
  })
  const text = 'Your account was credited with your loan of 0.01 tRBTC.'
  expect(provider.asked).toEqual([{ to: phone, text, from: null }])
})

describe(`an incident on ${runtime}`, () => {
  const sample = sampleOf(2, incidents, `incidents on ${runtime}`)
  for (const { name, check, alert, remedy, changes = {}, make, mend, rows = 'lost' } of sample) {
    test(`namely ${name}, is named by the first round, with its remedy`, async ({ expect }) => {
      if (rows === 'kept') {
        await relay.restart('lost')
        const form = { phoneNumber: '+254700000001', sessionId: 's', text: '1' }
        await fetch(`${relay.url}/ussd`, { method: 'POST', body: new URLSearchParams(form) })
        await untilFailing([])
      }
      told.length = 0
      await make?.()
      await relay.restart(rows, changes)
      await untilFailing([check])
      expect((await health()).code).toBe(503)
      await until(async () => {
        await relay.wake()
        return told.some((line) => line.startsWith(`${alert} raised: `) && remedy.test(line))
      })
      const status = await fetch(`${relay.url}/operator/status`, { headers })
      const shown = statusAnswer.parse(await status.json())
      expect(shown.alerts.map((one) => one.name)).toContain(alert)
      expect(statusLines(shown)).toContainEqual(expect.stringMatching(remedy))
      const findings = await examine(relay.url, { OPERATOR_TOKEN: token })
      const bad = findings.filter(({ state }) => state === 'bad')
      expect(bad.map((one) => one.name)).toEqual(expect.arrayContaining([check, 'alert']))
      expect(bad.map(({ says }) => says)).toContainEqual(expect.stringMatching(remedy))
      await mend?.()
      await relay.restart('lost')
      await untilFailing([])
    })
  }
})
