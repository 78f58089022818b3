import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import type * as z from 'zod/mini'
import { startChain, type TestChain } from '../../../scripts/dev/chain.ts'
import { type RpcCall, rpcTo } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { callerAccount } from '../../../src/account/keys.ts'
import { type PhoneNumber, parseCaller } from '../../../src/account/phone.ts'
import { microLoanAbi } from '../../../src/loan/abi.ts'
import {
  auditAnswer,
  intakeAnswer,
  lookupAnswer,
  operatorError,
  outbidAnswer,
  paymentAnswer,
  paymentsAnswer,
  statusAnswer,
} from '../../../src/operator/answers.ts'
import { version } from '../../../src/operator/version.ts'
import { type Deployment, openDeployment } from '../../support/deployment.ts'

const token = 'the-token-of-this-test'
const recipient = '0x00000000000000000000000000000000000a11ce'
const paused = 'END Payments are paused. Nothing was sent. Please try again later.'

let chain: TestChain
let rpc: RpcCall
let numbers = 0

beforeAll(async () => {
  chain = await startChain()
  rpc = rpcTo(chain.anvil.url)
})
afterEach(() => rpc('evm_setAutomine', [true]))
afterAll(() => chain.stop())

const open = (changes: Record<string, string> = {}, database = ':memory:'): Deployment =>
  openDeployment({
    variables: { ...chain.bindings, OPERATOR_TOKEN: token, ...changes },
    database,
  })

const authorized = { authorization: `Bearer ${token}` }

async function read<Schema extends z.ZodMiniType>(
  { ask }: Deployment,
  schema: Schema,
  path: string,
): Promise<z.output<Schema>> {
  const { body } = await ask(path, { headers: authorized })
  return schema.parse(body)
}

async function act<Schema extends z.ZodMiniType>(
  { ask }: Deployment,
  schema: Schema,
  action: string,
  sent?: unknown,
): Promise<z.output<Schema> & { status: number }> {
  const body = sent === undefined ? null : JSON.stringify(sent)
  const answer = await ask(`/operator/${action}`, { method: 'POST', headers: authorized, body })
  return { status: answer.status, ...(schema.parse(answer.body) as object) } as never
}

/** A caller of this test alone, with money. */
async function newCaller(): Promise<{ phone: string; account: string }> {
  numbers += 1
  const phone = `+2547000000${10 + numbers}`
  const secret = chain.bindings.ACCOUNT_KEY_SECRET as `0x${string}`
  const { address } = await callerAccount(secret, parseCaller(phone) as PhoneNumber)
  const [from] = (await rpc('eth_accounts')) as string[]
  const call = { functionName: 'depositFor', args: [address] } as const
  const data = encodeFunctionData({ abi: microLoanAbi, ...call })
  const value = `0x${parseEther('1').toString(16)}`
  await rpc('eth_sendTransaction', [{ from, to: chain.loan, data, value }])
  return { phone, account: address }
}

async function pay({ ask }: Deployment, phone: string, sessionId: string): Promise<string> {
  const text = `2*${recipient}*0.25`
  const form = new URLSearchParams({ phoneNumber: phone, sessionId, text })
  return (await ask('/ussd', { method: 'POST', body: form })).body as string
}

describe("the operator's interface", () => {
  test('is there for the token alone', async ({ expect }) => {
    const paths = ['/operator/status', '/operator/payments', '/operator/audit', '/metrics']
    const deployment = open()
    for (const path of paths) {
      expect((await deployment.ask(path)).status).toBe(401)
      const headers = { authorization: 'Bearer another-token-of-this-length' }
      expect((await deployment.ask(path, { headers })).status).toBe(401)
      expect((await deployment.ask(path, { headers: authorized })).status).toBe(200)
    }
    const without = open({ OPERATOR_TOKEN: '' })
    for (const path of paths) {
      expect((await without.ask(path, { headers: authorized })).status).toBe(404)
    }
    const post = { method: 'POST', headers: { authorization: 'Bearer x' } }
    expect((await deployment.ask('/operator/pause', post)).status).toBe(401)
    expect((await read(deployment, statusAnswer, '/operator/status')).intake.state).toBe('open')
  })

  test('tells how things are, with what the chain has', async ({ expect }) => {
    const deployment = open()
    const { phone } = await newCaller()
    await deployment.round()
    expect(await pay(deployment, phone, 'status')).toContain('END Transfer Submitted')
    await deployment.settled()
    deployment.pass(60_000)
    await deployment.round()
    const status = await read(deployment, statusAnswer, '/operator/status')
    expect(status).toMatchObject({ version, schema: '2', chainId: 31, currency: 'tRBTC' })
    expect(status.health.failing).toEqual([])
    const [relayer] = status.relayers
    expect(relayer).toMatchObject({ address: chain.relayer, inFlight: 0, queued: 0 })
    expect(relayer?.nonces.chain).toBe(relayer?.nonces.ledger)
    expect(Number(relayer?.lastsFor)).toBeGreaterThan(100)
    expect(relayer?.lastMinedAt).not.toBeNull()
    expect(status.contracts).toMatchObject({ loan: chain.loan.toLowerCase(), state: 'ready' })
    expect(BigInt(status.contracts.pool?.liquidityWei ?? 0)).toBe(parseEther('10'))
    expect(status.nodes).toMatchObject([{ label: 'node 1', state: 'able', failures: 0 }])
    expect(status.nodes[0]?.answers).toBeGreaterThan(5)
    expect(status.nodes[0]?.p95Ms).toBeGreaterThanOrEqual(0)
    expect(status.counts).toMatchObject({ 'Transfer.accepted': 1, 'Transfer.executed': 1 })
    const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({ version })
  })

  test('has metrics in which every name of the alert rules is found', async ({ expect }) => {
    const deployment = open({ UPSTREAM_CALLS_A_DAY: '1000' })
    const { phone } = await newCaller()
    await pay(deployment, phone, 'metrics')
    await act(deployment, intakeAnswer, 'pause')
    expect(await pay(deployment, phone, 'refused')).toBe(paused)
    await act(deployment, intakeAnswer, 'resume')
    await deployment.settled()
    await deployment.round()
    const before = deployment.asked.length
    const answer = await deployment.ask('/metrics', { headers: authorized })
    expect(deployment.asked.length).toBe(before)
    const text = answer.body as string
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+]+)$/,
      )
    }
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const names = new Set(samples.map((line) => line.split(/[{ ]/)[0]))
    const file = new URL('../../../docs/operations/alert-rules.yml', import.meta.url)
    const expressions = readFileSync(file, 'utf8').match(/expr: .+/g) ?? []
    const named = new Set(expressions.join().match(/\brelay_[a-z_]+/g))
    expect(expressions.length).toBeGreaterThan(5)
    expect([...named].filter((name) => !names.has(name))).toEqual([])
    expect(samples).toContain('relay_refusals_total{reason="paused"} 1')
    expect(samples).toContain('relay_payment_events_total{label="Transfer",event="accepted"} 1')
    expect(samples).toContain('relay_check_failing{check="node"} 0')
  })

  test('pauses payments, says so to callers for good, and takes them again', async ({ expect }) => {
    const deployment = open()
    const { phone } = await newCaller()
    await pay(deployment, phone, 'before')
    const stopped = await act(deployment, intakeAnswer, 'pause')
    expect(stopped.intake).toMatchObject({ state: 'paused' })
    expect(await pay(deployment, phone, 'meanwhile')).toBe(paused)
    // What was accepted before is shown again, whatever is paused.
    expect(await pay(deployment, phone, 'before')).toContain('END Transfer Submitted')
    const drained = await act(deployment, intakeAnswer, 'drain')
    expect(drained.intake).toMatchObject({ state: 'draining' })
    expect(await pay(deployment, phone, 'drained')).toBe(paused)
    await deployment.settled()
    await until(async () => {
      await deployment.round()
      return (await act(deployment, intakeAnswer, 'drain')).open === 0
    })
    deployment.pass(3_000)
    const health = await deployment.ask('/healthz')
    expect(health.body).toMatchObject({ lastRefused: { reason: 'paused' } })
    expect((await act(deployment, intakeAnswer, 'resume')).intake).toEqual({ state: 'open' })
    expect(await pay(deployment, phone, 'meanwhile')).toBe(paused)
    expect(await pay(deployment, phone, 'after')).toContain('END Transfer Submitted')
    await deployment.settled()
    const { entries } = await read(deployment, auditAnswer, '/operator/audit')
    const actions = new Set(entries.map(({ action }) => action))
    expect(actions).toEqual(new Set(['pause', 'drain', 'resume']))
  })

  test('finds payments, and tells all of one', async ({ expect }) => {
    const deployment = open()
    const [one, other] = [await newCaller(), await newCaller()]
    await pay(deployment, one.phone, 'find 1')
    deployment.pass(1_000)
    await pay(deployment, other.phone, 'find 2')
    await deployment.settled()
    await deployment.round()
    const find = (query: string) => read(deployment, paymentsAnswer, `/operator/payments${query}`)
    const all = await find('?state=confirmed')
    expect(all.payments.map(({ account }) => account)).toEqual([other.account, one.account])
    const [newest, oldest] = all.payments
    expect((await find(`?account=${one.account}`)).payments).toEqual([oldest])
    expect((await find(`?hash=${newest?.hash}`)).payments).toEqual([newest])
    expect((await find(`?intent=${oldest?.intent}`)).payments).toEqual([oldest])
    expect((await find('?state=queued')).payments).toEqual([])
    const first = await find('?limit=1')
    expect(first.payments).toEqual([newest])
    const second = await find(`?limit=1&before=${first.next}`)
    expect(second).toEqual({ payments: [oldest], next: null })
    expect(
      (await deployment.ask('/operator/payments?since=soon', { headers: authorized })).status,
    ).toBe(400)

    const told = await read(deployment, paymentAnswer, `/operator/payments/${newest?.intent}`)
    expect(told.transitions.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['signed', 'mined', 'confirmed']),
    )
    expect(told.transactions).toMatchObject([{ hash: newest?.hash, isMined: true, failures: 0 }])
    expect(told.explorer).toBe(`https://explorer.testnet.rootstock.io/tx/${newest?.hash}`)
    const unknown = `/operator/payments/0x${'00'.repeat(32)}`
    expect((await deployment.ask(unknown, { headers: authorized })).status).toBe(404)
  })

  test('looks a caller up by a number that nothing keeps', async ({ expect }) => {
    const deployment = open()
    const { phone, account } = await newCaller()
    await pay(deployment, phone, 'lookup')
    await deployment.settled()
    const found = await act(deployment, lookupAnswer, 'lookup', { phone })
    expect(found).toMatchObject({ account, owedWei: '0' })
    expect(found.balanceWei).toBe(`${parseEther('0.75')}`)
    expect(found.payments).toMatchObject([{ account, label: 'Transfer' }])
    const bad = await act(deployment, operatorError, 'lookup', { phone: '12' })
    expect(bad).toMatchObject({ status: 400, error: 'this is not a phone number' })
    const { entries } = await read(deployment, auditAnswer, '/operator/audit')
    expect(entries).toMatchObject([{ action: 'lookup', detail: { account } }])
    const kept = JSON.stringify(
      [deployment.events, entries, await deployment.ledger.work()],
      (_, value) => (typeof value === 'bigint' ? `${value}` : value),
    )
    expect(kept).not.toContain(phone.slice(1))
  })

  test('outbids a nonce that waits, with the same request, and pays once', async ({ expect }) => {
    const deployment = open()
    const { phone, account } = await newCaller()
    await deployment.round()
    await rpc('evm_setAutomine', [false])
    expect(await pay(deployment, phone, 'outbid')).toContain('END Transfer Submitted')
    const { payments } = await read(
      deployment,
      paymentsAnswer,
      `/operator/payments?account=${account}`,
    )
    const [waiting] = payments
    const nonce = waiting?.nonce ?? -1
    const answer = await act(deployment, outbidAnswer, 'outbid', { nonce })
    expect(answer.status).toBe(200)
    const told = await read(deployment, paymentAnswer, `/operator/payments/${waiting?.intent}`)
    expect(told.transactions.map(({ hash }) => hash)).toEqual([answer.hash, answer.over])
    const [dear, cheap] = told.transactions.map(({ gasPriceWei }) => BigInt(gasPriceWei))
    expect(Number(dear) / Number(cheap)).toBeGreaterThanOrEqual(1.4)

    await rpc('evm_mine')
    await rpc('evm_setAutomine', [true])
    await until(async () => {
      await deployment.round()
      const [payment] = (await read(deployment, paymentsAnswer, '/operator/payments')).payments
      return payment?.state === 'confirmed' && payment.hash === answer.hash
    })
    const found = await act(deployment, lookupAnswer, 'lookup', { phone })
    expect(found.balanceWei).toBe(`${parseEther('0.75')}`)
    expect((await act(deployment, operatorError, 'outbid', { nonce })).status).toBe(404)
  })

  test('does not outbid above the highest price, and refuses what is no nonce', async ({
    expect,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), 'outbid-'))
    const database = join(folder, 'ledger.sqlite')
    const deployment = open({}, database)
    const { phone } = await newCaller()
    await rpc('evm_setAutomine', [false])
    await pay(deployment, phone, 'dear')
    const [waiting] = (await read(deployment, paymentsAnswer, '/operator/payments')).payments
    const path = `/operator/payments/${waiting?.intent}`
    const [sent] = (await read(deployment, paymentAnswer, path)).transactions
    expect(sent).toMatchObject({ isMined: false, nonce: waiting?.nonce })
    const limited = open({ MAX_GAS_PRICE_WEI: sent?.gasPriceWei ?? '' }, database)
    const refused = await act(limited, operatorError, 'outbid', { nonce: waiting?.nonce })
    expect(refused).toMatchObject({ status: 409 })
    for (const bad of [{}, { nonce: -1 }, { nonce: 1.5 }, undefined]) {
      expect((await act(deployment, operatorError, 'outbid', bad)).status).toBe(400)
    }
    await rpc('evm_mine')
    await deployment.settled()
    rmSync(folder, { recursive: true })
  })
})
