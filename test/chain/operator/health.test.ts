import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseEther } from 'viem'
import { english, generateMnemonic } from 'viem/accounts'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { type RpcCall, rpcTo } from '../../../scripts/dev/rpc.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import { type AlertMessage, alertMessage } from '../../../src/operator/alerting/webhook.ts'
import { healthAnswer, livenessAnswer, statusAnswer } from '../../../src/operator/answers.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { type Deployment, openDeployment } from '../../support/deployment.ts'

let chain: TestChain
let rpc: RpcCall
let owner: string

beforeAll(async () => {
  chain = await startChain()
  rpc = rpcTo(chain.anvil.url)
  owner = ((await rpc('eth_accounts')) as string[])[0] ?? ''
})
afterAll(() => chain.stop())

const open = (changes: Record<string, string> = {}, database?: string): Deployment =>
  openDeployment({
    variables: { ...chain.bindings, ...changes },
    ...(database === undefined ? {} : { database }),
  })

/** What health says after the round that comes a minute later. */
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

async function asOwner(
  to: string,
  call: Parameters<typeof encodeFunctionData<typeof microLoanAbi>>[0],
): Promise<void> {
  const data = encodeFunctionData(call)
  await rpc('eth_sendTransaction', [{ from: owner, to, data }])
  await rpc('evm_mine')
}

const otherMnemonic = generateMnemonic(english)

const good = { status: 200, failing: [] }

describe('health', () => {
  test('is bad before a round has looked, and good after the first one', async ({ expect }) => {
    const deployment = open()
    expect(await health(deployment)).toMatchObject({ status: 503, failing: ['rounds'] })
    const { says } = await minuteLater(deployment)
    expect(says.node).toMatch(/^Block \d+ is \d+ s old$/)
    expect(says.contracts).toBe('The contracts are there and take this relayer')
    expect(await health(deployment, '/healthz')).toMatchObject(good)
    expect(livenessAnswer.parse((await deployment.ask('/livez')).body)).toEqual({ status: 'ok' })
  })

  test('asks nodes nothing, and a round in which nothing is open asks two things', async ({
    expect,
  }) => {
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

  test('names an empty relayer within two minutes, and clears it', async ({ expect }) => {
    const deployment = open()
    await deployment.round()
    await rpc('anvil_setBalance', [chain.relayer, '0x0'])
    await minuteLater(deployment)
    const { status, failing, says } = await minuteLater(deployment)
    expect({ status, failing }).toEqual({ status: 503, failing: ['relayer_funds'] })
    expect(says.relayer_funds).toContain('enough for 0 payments')
    await rpc('anvil_setBalance', [chain.relayer, `0x${parseEther('100').toString(16)}`])
    await minuteLater(deployment)
    expect(await minuteLater(deployment)).toMatchObject(good)
  })

  test('names a dead node by the next round, and clears it', async ({ expect }) => {
    const answers = { are: true }
    const deployment = openDeployment({
      variables: chain.bindings,
      fetch: (input, init) =>
        answers.are
          ? fetch(input, init)
          : // Nothing listens there.
            fetch('http://127.0.0.1:9', init),
    })
    await deployment.round()
    answers.are = false
    const dead = await minuteLater(deployment)
    expect(dead).toMatchObject({ status: 503, failing: ['node'] })
    expect(dead.says.node).toMatch(/^No node has told its head for \d+ s$/)
    answers.are = true
    expect(await minuteLater(deployment)).toMatchObject(good)
  })

  test('names a node that stands still where blocks come by themselves', async ({ expect }) => {
    const deployment = open({ POOL_RULES: 'rootstock', MAX_GAS_PRICE_WEI: `${10n ** 11n}` })
    await rpc('evm_mine')
    await deployment.round()
    expect(await health(deployment)).toMatchObject(good)
    for (let minute = 0; minute < 9; minute++) await minuteLater(deployment)
    const still = await minuteLater(deployment)
    expect(still).toMatchObject({ status: 503, failing: ['node'] })
    expect(still.says.node).toMatch(/^Block \d+ is 6\d\d s old$/)
  })

  test('names other secrets than the ledger was begun with, and shows none', async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'health-'))
    const database = join(folder, 'ledger.sqlite')
    const deployment = open({}, database)
    const dialled = new URLSearchParams({ phoneNumber: '+254700000001', sessionId: 's', text: '1' })
    await deployment.ask('/ussd', { method: 'POST', body: dialled })
    await deployment.round()
    expect(await health(deployment)).toMatchObject(good)
    const other = `0x${'77'.repeat(32)}`
    const mistyped = open({ ACCOUNT_KEY_SECRET: other }, database)
    const { status, failing, says } = await health(mistyped)
    expect({ status, failing }).toEqual({ status: 503, failing: ['identity'] })
    expect(says.identity).toContain('ACCOUNT_KEY_SECRET')
    expect(JSON.stringify(await mistyped.ask('/healthz'))).not.toContain('7777')
    rmSync(folder, { recursive: true })
  })

  test('names contracts that are not there, that do not take this relayer, or that are paused', async ({
    expect,
  }) => {
    const nowhere = '0x00000000000000000000000000000000000000ff'
    for (const changes of [{ FORWARDER_ADDRESS: nowhere }, { LOAN_ADDRESS: nowhere }]) {
      const elsewhere = open(changes)
      await elsewhere.round()
      expect(await health(elsewhere)).toMatchObject({ status: 503, failing: ['contracts'] })
    }
    const deployment = open()
    await deployment.round()
    const states = [
      { abi: microLoanAbi, to: chain.loan, words: 'The loan contract is paused' },
      { abi: relayForwarderAbi, to: chain.forwarder, words: 'The forwarder is paused' },
    ]
    for (const { abi, to, words } of states) {
      await asOwner(to, { abi: abi as typeof microLoanAbi, functionName: 'pause' })
      await minuteLater(deployment)
      const paused = await minuteLater(deployment)
      expect(paused).toMatchObject({ status: 503, failing: ['contracts'] })
      expect(paused.says.contracts).toContain(words)
      await asOwner(to, { abi: abi as typeof microLoanAbi, functionName: 'unpause' })
    }
    const stranger = open({ RELAYER_MNEMONIC: otherMnemonic })
    await stranger.round()
    expect((await health(stranger)).says.contracts).toContain('does not take this relayer')
    await minuteLater(deployment)
    expect(await minuteLater(deployment)).toMatchObject(good)
  })

  test('names a ledger that is torn, and rounds that do not come', async ({ expect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'health-'))
    const database = join(folder, 'ledger.sqlite')
    const deployment = open({}, database)
    await deployment.round()
    deployment.pass(200_000)
    expect(await health(deployment)).toMatchObject({ status: 503, failing: ['rounds'] })
    const bytes = readFileSync(database)
    bytes.fill(0xff)
    writeFileSync(database, bytes)
    deployment.pass(20_000)
    expect(await health(deployment)).toMatchObject({ status: 503, failing: ['ledger'] })
    rmSync(folder, { recursive: true })
  })
})

describe('alerts', () => {
  const secret = 'a-secret-for-the-webhook'

  /** A deployment that tells a program on this machine, and what that took. */
  async function openTold(changes: Record<string, string> = {}) {
    const taken: AlertMessage[] = []
    const fails = { times: 0 }
    const server = await startLoopbackServer(async (request, response) => {
      const body = await textOf(request)
      const seconds = `${request.headers['relay-timestamp']}`
      if (request.headers['relay-signature'] !== hmacOf(secret, `${seconds}.${body}`)) {
        response.statusCode = 401
      } else if (fails.times > 0) {
        fails.times -= 1
        response.statusCode = 503
      } else taken.push(alertMessage.parse(JSON.parse(body)))
      response.end()
    })
    const webhook = { ALERT_WEBHOOK_URL: `${server.url}/alerts`, ALERT_WEBHOOK_SECRET: secret }
    const deployment = open({ OPERATOR_TOKEN: 'the-token-of-this-test', ...webhook, ...changes })
    const pass = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        await minuteLater(deployment)
        await deployment.settled()
      }
    }
    const told = () => taken.map(({ name, state }) => `${name} ${state}`)
    return { deployment, taken, told, fails, pass, close: server.close }
  }

  test('of a relayer that runs low is told once, with what to send where, and once when it is over', async ({
    expect,
  }) => {
    const { deployment, taken, told, pass, close } = await openTold()
    await pass(2)
    expect(told()).toEqual([])
    await rpc('anvil_setBalance', [chain.relayer, '0x0'])
    await pass(4)
    expect(told()).toEqual(['relayer_low raised'])
    expect(taken[0]?.says).toMatch(
      /^Relayer 0x[0-9a-fA-F]{40} has 0 tRBTC, enough for 0 payments\. Send [0-9.]+ there; nothing is lost\.$/,
    )
    expect(taken[0]).toMatchObject({ chainId: 31, relayer: chain.relayer })
    const headers = { authorization: 'Bearer the-token-of-this-test' }
    const { alerts } = statusAnswer.parse(
      (await deployment.ask('/operator/status', { headers })).body,
    )
    expect(alerts).toMatchObject([{ name: 'relayer_low', says: taken[0]?.says }])
    expect((await deployment.ask('/metrics', { headers })).body).toContain(
      'relay_alert_active{name="relayer_low"} 1',
    )
    await rpc('anvil_setBalance', [chain.relayer, `0x${parseEther('100').toString(16)}`])
    await pass(6)
    expect(told()).toEqual(['relayer_low raised', 'relayer_low cleared'])
    const logged = deployment.events.filter(({ event }) => event.startsWith('alert.'))
    expect(logged.map(({ event }) => event)).toEqual(['alert.raised', 'alert.cleared'])
    await close()
  })

  test('is kept until it was taken, and comes with the same id', async ({ expect }) => {
    const { deployment, taken, told, fails, pass, close } = await openTold({
      LOAN_ADDRESS: '0x00000000000000000000000000000000000000ff',
    })
    fails.times = 3
    await pass(1)
    expect(told()).toEqual([])
    await pass(8)
    expect(told()).toEqual(['contracts raised'])
    expect(taken[0]?.id).toMatch(/^contracts:\d+:raised$/)
    expect(deployment.events.filter(({ event }) => event === 'alert.untold')).toHaveLength(3)
    await close()
  })

  test('of rounds that do not come is told when someone asks for health', async ({ expect }) => {
    const { deployment, told, pass, close } = await openTold()
    // Nothing is late on a deployment that has just begun.
    expect((await health(deployment)).failing).toEqual(['rounds'])
    await deployment.settled()
    await pass(2)
    expect(told()).toEqual([])
    deployment.pass(400_000)
    expect((await health(deployment)).failing).toContain('rounds')
    await deployment.settled()
    expect(told()).toEqual(['round_late raised'])
    await pass(5)
    expect(told()).toEqual(['round_late raised', 'round_late cleared'])
    await close()
  })
})

const hmacOf = (secret: string, text: string): string =>
  `v1=${createHmac('sha256', secret).update(text).digest('hex')}`
