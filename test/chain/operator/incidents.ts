import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { type FaultProxy, startFaultProxy } from '../../../scripts/dev/faults/fault-proxy.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { callersOf, createTreasury } from '../../../scripts/dev/relays/callers.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { examine } from '../../../scripts/ops/doctor.ts'
import { createOperatorClient } from '../../../scripts/ops/operator-client.ts'
import { statusLines } from '../../../scripts/ops/show.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { alertMessage } from '../../../src/operator/alerting/webhook.ts'
import { type AlertName, type CheckName, healthAnswer } from '../../../src/operator/answers.ts'
import { token } from './operating.ts'

/** A deployment that can be asked over HTTP, on one of the runtimes. */
export type IncidentWorld = {
  url: () => string
  /** Begins again with the rows that it had, and with other variables. */
  restart: (changes?: Record<string, string>) => Promise<void>
  /** Spoils the ledger's rows where they lie; resolves to what gives them back. */
  tear: () => Promise<Stop>
  /** Whether it begins again for that: then no process knows that it told of a ledger that was silent. */
  forgets: boolean
  /** No block comes although they come by themselves; resolves to what has them come again. */
  standStill: () => Promise<Stop>
  /** The cron's rounds until this holds, within so many minutes by the deployment's clock. */
  rounds: (minutes: number, holds: () => Promise<boolean>) => Promise<void>
  stop: Stop
}

/** A chain, and the deployment's variables on it. */
export type Surroundings = { chain: TestChain; variables: Record<string, string> }

/** A world, with what goes wrong around it. */
type Scene = IncidentWorld & {
  chain: TestChain
  /** Between the deployment and its node. */
  faults: FaultProxy
  /** A number with money. */
  phone: string
}

type Stop = () => Promise<unknown>

type Incident = {
  name: string
  /** Has it happen; resolves to what mends it. */
  make: (world: Scene) => Promise<Stop>
  /** What health calls it; undefined where payments can be carried all the same. */
  check?: CheckName
  /** `ledger_silent` is kept in no ledger. */
  alert: AlertName | 'ledger_silent'
  remedy: RegExp
  /** Idle minutes until it is told: two, but where it is one only after some time. */
  within?: number
}

const recipient = '0x00000000000000000000000000000000000b0b0b'

function dial(world: Scene, text: string): Promise<unknown> {
  const form = { phoneNumber: world.phone, sessionId: `incident ${text}`, text }
  return fetch(`${world.url()}/ussd`, { method: 'POST', body: new URLSearchParams(form) })
}

async function asOwner({ chain }: Scene, functionName: 'pause' | 'unpause') {
  const rpc = rpcTo(chain.anvil.url)
  const [from] = (await rpc('eth_accounts')) as string[]
  const data = encodeFunctionData({ abi: microLoanAbi, functionName })
  await rpc('eth_sendTransaction', [{ from, to: chain.loan, data }])
  await rpc('evm_mine')
}

async function setBalance({ chain }: Scene, ether: string): Promise<void> {
  const balance = `0x${parseEther(ether).toString(16)}`
  await rpcTo(chain.anvil.url)('anvil_setBalance', [chain.relayer, balance])
}

export const incidents: readonly Incident[] = [
  {
    name: 'an empty relayer',
    async make(world) {
      await setBalance(world, '0')
      return () => setBalance(world, '100')
    },
    check: 'relayer_funds',
    alert: 'relayer_low',
    remedy: /Send [0-9.]+ there; nothing is lost/,
  },
  {
    name: 'a dead node',
    async make({ faults }) {
      await faults.refuse()
      return () => faults.accept()
    },
    check: 'node',
    alert: 'node_down',
    remedy: /Look at the node, or name another in NODE_URL/,
  },
  {
    name: 'a paused pool',
    async make(world) {
      await asOwner(world, 'pause')
      return () => asOwner(world, 'unpause')
    },
    ...{ check: 'contracts', alert: 'contracts', remedy: /Unpause them, or compare the addresses/ },
  },
  {
    name: 'a wrong secret',
    async make(world) {
      await dial(world, '1')
      await world.restart({ ACCOUNT_KEY_SECRET: `0x${'77'.repeat(32)}` })
      return () => world.restart()
    },
    check: 'identity',
    alert: 'identity',
    remedy: /ACCOUNT_KEY_SECRET\. Put the former values/,
  },
  {
    name: 'a torn ledger',
    make: (world) => world.tear(),
    check: 'ledger',
    alert: 'ledger_silent',
    remedy: /[Ll]ook at the Durable Object, or at Redis/,
  },
  {
    name: 'a stuck nonce',
    async make(world) {
      const methods = ['eth_sendRawTransaction']
      world.faults.script({ fault: { kind: 'drop_request' }, methods })
      await dial(world, `2*${recipient}*0.01`)
      return async () => world.faults.clear()
    },
    ...{ alert: 'stuck', remedy: /Outbid its nonce, or raise MAX_GAS_PRICE_WEI/ },
    // Three times the time after which it is outbid.
    within: 4,
  },
  {
    name: 'a spent budget',
    async make(world) {
      await world.restart({ UPSTREAM_CALLS_A_DAY: '3', UPSTREAM_RESERVE: '0' })
      return () => world.restart()
    },
    ...{ check: 'upstream_budget', alert: 'budget', remedy: /Raise UPSTREAM_CALLS_A_DAY/ },
    // Rounds alone spend it, two calls a minute.
    within: 4,
  },
  {
    name: 'a node that stands still',
    make: (world) => world.standStill(),
    ...{ check: 'node', alert: 'node_down', remedy: /Block \d+ is \d+ s old\. Look at the node/ },
    // Twenty times the time in which a block comes.
    within: 12,
  },
]

/** An alert is cleared once it has been over for two minutes. */
const clearedWithin = 8

/** Plays incidents one after the other in one world. */
export function playIncidents({
  runtime,
  chosen,
  chainArgs = [],
  open,
  besides = () => {},
}: {
  runtime: string
  chosen: readonly Incident[]
  chainArgs?: string[]
  open: (surroundings: Surroundings) => Promise<IncidentWorld>
  /** What else is tested in the same world, before anything goes wrong in it. */
  besides?: (world: () => IncidentWorld) => void
}): void {
  describe(`an incident on ${runtime} is named by readiness, status, webhook, ops and doctor, with its remedy, and cleared`, () => {
    const told: string[] = []
    const ended: Stop[] = []
    let world: Scene

    beforeAll(async () => {
      const chain = await startChain(chainArgs)
      ended.unshift(chain.stop)
      const faults = await startFaultProxy({ target: chain.anvil.url })
      ended.unshift(faults.stop)
      const webhook = await startLoopbackServer(async (request, response) => {
        const { name, state, says } = alertMessage.parse(JSON.parse(await textOf(request)))
        const isSigned = `${request.headers['relay-signature']}`.startsWith('v1=')
        told.push(`${isSigned ? '' : 'unsigned '}${name} ${state}: ${says}`)
        response.end()
      })
      ended.unshift(webhook.close)
      const [caller] = await callersOf(chain, 1)
      if (caller === undefined) throw new Error('there is no caller')
      await createTreasury(chain).deposit([caller.account.address], parseEther('1'))
      const variables = {
        ...{ ...chain.bindings, NODE_URL: faults.url, OPERATOR_TOKEN: token },
        ...{ ALERT_WEBHOOK_URL: webhook.url, ALERT_WEBHOOK_SECRET: 'a-secret-for-the-webhook' },
      }
      world = { ...(await open({ chain, variables })), chain, faults, phone: caller.phone }
      ended.unshift(world.stop)
    })
    afterAll(async () => {
      for (const stop of ended) await stop()
    })

    besides(() => world)

    for (const incident of chosen) {
      const { name, make, alert, check, within = 2 } = incident
      test(`namely ${name}`, async () => {
        const isWell = async () => {
          const { ready, alerts, doctor } = await look(world)
          return ready.status === 200 && alerts.length + doctor.length === 0
        }
        await world.rounds(clearedWithin, isWell)
        told.length = 0
        const mend = await make(world)
        try {
          await world.rounds(within, async () => {
            // Nothing is asked for until it was told: what tells it is the cron alone.
            if (told.length === 0) return false
            const { ready, alerts } = await look(world)
            const isKept = alert === 'ledger_silent' || alerts.some((one) => one.name === alert)
            return ready.failing.join() === (check ?? '') && isKept
          })
          expectNamed(expect, { ...(await look(world)), told }, incident)
        } finally {
          await mend()
        }
        const whole =
          alert === 'ledger_silent' && world.forgets ? ['raised'] : ['raised', 'cleared']
        const isTold = async () => told.length === whole.length && (await isWell())
        await world.rounds(clearedWithin, isTold)
        expect(told.map((line) => line.split(':')[0])).toEqual(
          whole.map((state) => `${alert} ${state}`),
        )
      })
    }
  })
}

async function readiness({ url }: Pick<IncidentWorld, 'url'>) {
  const response = await fetch(`${url()}/readyz`)
  const { failing } = healthAnswer.parse(await response.json())
  return { status: response.status, failing }
}

/** Everything that tells an operator how things are. */
export async function look(world: Pick<IncidentWorld, 'url'>) {
  const url = world.url()
  const operator = createOperatorClient({ origin: url, token, nodeUrl: undefined })
  const status = await operator.status().catch((error: Error) => error.message)
  const findings = await examine(url, { OPERATOR_TOKEN: token })
  return {
    ready: await readiness(world),
    alerts: typeof status === 'string' ? [] : status.alerts,
    /** What `npm run ops -- status` shows. */
    lines: typeof status === 'string' ? [status] : statusLines(status),
    doctor: findings
      .filter(({ state }) => state === 'bad')
      .map(({ name, says }) => `${name}: ${says}`),
  }
}

function expectNamed(
  expect: ExpectStatic,
  { ready, alerts, lines, doctor, told }: Awaited<ReturnType<typeof look>> & { told: string[] },
  { check, alert, remedy }: Incident,
): void {
  expect(ready).toEqual({
    status: check === undefined ? 200 : 503,
    failing: check === undefined ? [] : [check],
  })
  expect(told).toEqual([expect.stringMatching(`^${alert} raised: `)])
  expect(told).toEqual([expect.stringMatching(remedy)])
  expect(lines).toContainEqual(expect.stringMatching(remedy))
  expect(JSON.stringify({ lines, doctor, told })).not.toContain('7777')
  if (check !== undefined) expect(doctor).toContainEqual(expect.stringMatching(`^${check}: `))
  expect(doctor).toContainEqual(expect.stringMatching(remedy))
  if (alert === 'ledger_silent') return
  expect(alerts).toMatchObject([{ name: alert, says: expect.stringMatching(remedy) }])
  expect(lines[0]).toMatch(/^ALERT since /)
  // Between two looks the calls of the day go on.
  const withoutCounts = (words: string) => words.replaceAll(/\d+/g, 'N')
  expect(doctor.map(withoutCounts)).toContain(withoutCounts(`alert: ${alerts[0]?.says}`))
}
