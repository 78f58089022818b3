import { english, generateMnemonic } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { alertMessage } from '../../../src/operator/alerting/webhook.ts'
import { healthAnswer } from '../../../src/operator/schemas/health.ts'
import { version } from '../../../src/operator/version.ts'
import { type Deployment, openDeployment } from '../../support/deployment.ts'
import { opened } from '../../support/opened.ts'

const chain = opened(() => startChain())

// What a block holds is asked for besides: the head holds nothing.
beforeAll(() => chain.anvil.ask('evm_mine'))

const open = (changes: Record<string, string> = {}): Deployment =>
  openDeployment({ variables: { ...chain.bindings, ...changes } })

/** Runs a round a minute later, and returns the health. */
async function minuteLater(deployment: Deployment) {
  deployment.pass(60_000)
  await deployment.round()
  return health(deployment)
}

async function health({ ask }: Deployment, path = '/readyz') {
  const { status, body } = await ask(path)
  const answer = healthAnswer.parse(body)
  const says = Object.fromEntries(answer.checks?.map((one) => [one.name, one.says]) ?? [])
  return { status, failing: answer.failing, says }
}

const otherMnemonic = generateMnemonic(english)

const good = { status: 200, failing: [] }

describe('health', () => {
  test('is bad before the first round, and good after it', async () => {
    const deployment = open()
    expect(await health(deployment)).toMatchObject({ status: 503, failing: ['rounds'] })
    const { says } = await minuteLater(deployment)
    expect(says.node).toMatch(/^Block \d+ is \d+ s old$/)
    expect(says.contracts).toBe('The contracts exist and accept this relayer')
    expect(await health(deployment, '/healthz')).toMatchObject(good)
    expect((await deployment.ask('/livez')).body).toEqual({ status: 'ok', version })
  })

  test('asks nodes nothing, and a round in which nothing is open asks two things', async () => {
    const deployment = open()
    await deployment.round()
    const first = deployment.asked.length
    for (let minute = 0; minute < 10; minute++) {
      expect(await minuteLater(deployment)).toMatchObject(good)
      await health(deployment, '/healthz')
    }
    expect(deployment.asked.length - first).toBe(20)
    // None of the facts is older than two minutes at any time.
    expect(new Set(deployment.asked.slice(-4)).size).toBe(4)
  })

  test('names contracts that do not exist, or that do not accept this relayer', async () => {
    const nowhere = '0x00000000000000000000000000000000000000ff'
    for (const changes of [{ FORWARDER_ADDRESS: nowhere }, { LOAN_ADDRESS: nowhere }]) {
      const elsewhere = open(changes)
      await elsewhere.round()
      expect(await health(elsewhere)).toMatchObject({ status: 503, failing: ['contracts'] })
    }
    const deployment = open()
    await deployment.round()
    const stranger = open({ RELAYER_MNEMONIC: otherMnemonic })
    await stranger.round()
    expect((await health(stranger)).says.contracts).toContain('does not accept this relayer')
    const setCode = (code: string) => chain.anvil.ask('anvil_setCode', [chain.relayer, code])
    await setCode(`0xef0100${'11'.repeat(20)}`)
    await minuteLater(deployment)
    expect((await minuteLater(deployment)).says.contracts).toContain(
      'its account delegates to code',
    )
    await setCode('0x')
    await minuteLater(deployment)
    expect(await minuteLater(deployment)).toMatchObject(good)
  })
})

test('an alert about missing rounds is reported by the next health request', async () => {
  const told: string[] = []
  const server = await startLoopbackServer(async (request, response) => {
    const { name, state } = alertMessage.parse(JSON.parse(await textOf(request)))
    told.push(`${name} ${state}`)
    response.end()
  })
  const ALERT_WEBHOOK_SECRET = 'a-secret-for-the-webhook'
  const deployment = open({ ALERT_WEBHOOK_URL: `${server.url}/alerts`, ALERT_WEBHOOK_SECRET })
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      await minuteLater(deployment)
      await deployment.settled()
    }
  }
  // Nothing is late on a deployment that has just begun.
  expect((await health(deployment)).failing).toEqual(['rounds'])
  await deployment.settled()
  await pass(2)
  expect(told).toEqual([])
  deployment.pass(400_000)
  expect((await health(deployment)).failing).toContain('rounds')
  await deployment.settled()
  expect(told).toEqual(['round_late raised'])
  await pass(5)
  expect(told).toEqual(['round_late raised', 'round_late cleared'])
  await server.close()
})
