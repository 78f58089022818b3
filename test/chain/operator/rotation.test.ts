import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { forwarderAt } from '../../../scripts/contracts/reads.ts'
import { startChain } from '../../../scripts/dev/chain.ts'
import { startLoopbackServer, textOf } from '../../../scripts/dev/loopback-server.ts'
import { relayers } from '../../../scripts/ops/relayers-cli.ts'
import { ops } from '../../../scripts/ops.ts'
import { alertMessage } from '../../../src/operator/alerting/webhook.ts'
import { opened } from '../../support/opened.ts'
import { dial, give, openOperated } from './operating.ts'

const chain = opened(() => startChain())
const phone = '+254700000041'
/** Parses the JSON below what a command said meanwhile. */
const toJson = (output: string) => JSON.parse(output.trim().split('\n').at(-1) ?? '')
const recipient = '0x00000000000000000000000000000001000a11ce'

test('a test alert is posted once, signed, and recorded; without a webhook it is refused', async () => {
  const told: { name: string; says: string; isSigned: boolean }[] = []
  let status = 200
  const server = await startLoopbackServer(async (request, response) => {
    const { name, says } = alertMessage.parse(JSON.parse(await textOf(request)))
    const isSigned = `${request.headers['relay-signature']}`.startsWith('v1=')
    told.push({ name, says, isSigned })
    response.writeHead(status).end()
  })
  const ALERT_WEBHOOK_SECRET = 'a-secret-for-the-webhook'
  const deployment = openOperated(chain, { ALERT_WEBHOOK_URL: server.url, ALERT_WEBHOOK_SECRET })
  const posted = await deployment.operate(ops, ['test-alert'])
  expect(posted.output).toMatch(/^The webhook took the test alert test:\d+:raised\.\n$/)
  const says = 'This is a test by an operator: nothing is the matter.'
  expect(told).toEqual([{ name: 'test', says, isSigned: true }])
  status = 500
  expect((await deployment.operate(ops, ['test-alert'])).output).toContain('answered 500')
  await deployment.round()
  expect(told).toHaveLength(2)
  expect((await deployment.audit()).map(({ action }) => action)).toEqual(
    Array.from({ length: 2 }, () => 'test-alert'),
  )
  expect((await deployment.status()).alerts).toEqual([])
  const error = 'no ALERT_WEBHOOK_URL is set'
  expect(await openOperated(chain).refused('test-alert')).toEqual({ status: 409, error })
  await server.close()
})

test('a relayer is rotated by one command, which goes on where it was interrupted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotation-'))
  const [database, file] = [join(folder, 'ledger.sqlite'), join(folder, 'next.json')]
  await give(chain, phone)
  const client = createPublicClient({ transport: http(chain.anvil.url) })
  const former = chain.relayer as Address
  const isAllowed = (key: Address) => forwarderAt(client, chain.forwarder).isRelayer([key])
  const env = { NODE_URL: chain.anvil.url }
  const first = openOperated(chain, {}, { database })
  const pay = (deployment: typeof first, sessionId: string) =>
    dial(deployment, { phone, sessionId, text: `2*${recipient}*0.01` })
  expect(await pay(first, 'before')).toContain('END Transfer Submitted')
  await first.allDone()
  const rotate = (deployment: typeof first, ...args: string[]) =>
    deployment.operate(relayers, ['rotate', '--to', file, ...args], { env })

  // With a price of the node above the highest nothing is sent, and the key is kept all the same.
  const dear = await first.operate(relayers, ['rotate', '--to', file], {
    env: { ...env, MAX_GAS_PRICE_WEI: '1' },
  })
  expect([dear.code, dear.output]).toEqual([1, expect.stringContaining('Nothing was sent')])
  const { RELAYER_MNEMONIC = '', replaces } = JSON.parse(readFileSync(file, 'utf8'))
  expect([statSync(file).mode & 0o777, replaces]).toEqual([0o600, former])

  const balance = await client.getBalance({ address: former })
  const outputs: string[] = []
  for (const _ of ['first', 'again']) {
    const { code, output } = await rotate(first, '--json')
    outputs.push(output)
    expect([code, toJson(output)]).toMatchObject([0, { step: 'switch' }])
  }
  const { address } = toJson(outputs[0] ?? '')
  expect([await isAllowed(address), await isAllowed(former)]).toEqual([true, true])
  expect(await client.getTransactionCount({ address })).toBe(1)
  expect(await client.getBalance({ address })).toBeGreaterThan((balance * 99n) / 100n)
  expect(await client.getBalance({ address })).toBeLessThanOrEqual(balance)
  expect(await pay(first, 'drained')).toContain('Payments are paused. Nothing was sent.')

  const second = openOperated(chain, { RELAYER_MNEMONIC }, { database })
  const early = await rotate(second)
  expect(early.output).toContain(`The former key ${former} stays allowed until its last`)
  expect((await second.status()).intake.state).toBe('open')
  expect(await pay(second, 'after')).toContain('END Transfer Submitted')
  await second.allDone()
  const [paid] = (await second.payments('?limit=1')).payments
  expect(paid).toMatchObject({ state: 'confirmed', relayer: address.toLowerCase() })
  // What was delivered before is not paid again by the other key.
  expect(await pay(second, 'before')).toContain('END Transfer Submitted')
  expect((await second.payments()).payments).toHaveLength(2)

  await chain.anvil.ask('anvil_mine', ['0x40'])
  const last = await rotate(second)
  expect(last.output).toContain(`The forwarder no longer allows ${former}.`)
  expect(last.output).toMatch(/The rotation is done\. .* has \d\S* tRBTC left/)
  expect([await isAllowed(address), await isAllowed(former)]).toEqual([true, false])
  expect((await rotate(second)).output).toBe(last.output)
  for (const output of [...outputs, early.output, last.output, JSON.stringify(second.events)]) {
    expect(output).not.toContain(RELAYER_MNEMONIC)
  }
})
