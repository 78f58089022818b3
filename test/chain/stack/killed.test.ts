import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { readIfThere } from '../../../scripts/stack/files.ts'
import { resultsInLogs } from '../../../src/relay/forwarder/requests.ts'
import {
  balanceOf,
  createDevFolder,
  dial,
  leaveMark,
  type Start,
  startStack,
} from './stack-process.ts'

const [alice, bob] = ['+254700000001', '+254700000002']
const payment = { sessionId: 'killed', phoneNumber: alice, text: `2*${bob}*0.25` }

test('after a kill -9 of everything but the node, a retried payment is answered and not made again', async () => {
  const folder = createDevFolder()
  const first = await startStack(folder)
  const replies = await dialTwenty(first.stack().relayUrl)
  expect(new Set(replies).size).toBe(1)
  expect(replies[0]).toContain('Transfer Submitted')
  const lastBlock = await leaveMark(first.stack().nodeUrl)
  await first.kill('main', 'workerd')

  const second = await startStack(folder)
  expect(second.output()).toContain('Ending the local chain that a killed start left running')
  const { nodeUrl, relayUrl, contracts } = second.stack()
  expect(await lastBlock.isOn(nodeUrl)).toBe(true)
  expect(new Set([...replies, ...(await dialTwenty(relayUrl))]).size).toBe(1)
  await until(async () => (await executed(second)) === 1)
  expect(await balanceOf(folder, nodeUrl, contracts.loan, bob)).toBe(parseEther('1.25'))
  await second.interrupt()
})

test('a Worker that outlived its start is ended by the next one', async () => {
  const folder = createDevFolder()
  const first = await startStack(folder)
  const port = new URL(first.stack().relayUrl).port
  const workerd = first.pids().find(({ name }) => name === 'workerd')
  await first.kill('main')
  const second = await startStack(folder, { env: { PORT: port } })
  expect(second.output()).toContain(
    `Ending the Worker that a killed start left running (process ${workerd?.id.pid})`,
  )
  expect(await dial(second.stack().relayUrl, { ...payment, text: '1' })).toBe(
    'END Your Balance: 1 tRBTC',
  )
  await second.interrupt()
})

test('after a kill -9 of everything, what an older chain has lost is sent again, once', async () => {
  const folder = createDevFolder()
  const first = await startStack(folder)
  // The chain as a killed start leaves it at worst: saved before the payment.
  const [chain, older] = [join(folder, 'chain'), join(folder, 'older')]
  cpSync(chain, older, { recursive: true })
  const { relayUrl, nodeUrl, contracts } = first.stack()
  const reply = await dial(relayUrl, payment)
  const balance = () => balanceOf(folder, nodeUrl, contracts.loan, bob)
  await until(async () => (await balance()) === parseEther('1.25'))
  const log = () => `${readIfThere(join(folder, 'logs', 'relay.log'))}`
  await until(() => log().includes('Transfer confirmed: '))
  const hash = /Transfer confirmed: (0x\w+)/.exec(log())?.[1] as `0x${string}`
  await first.kill()
  rmSync(chain, { recursive: true })
  cpSync(older, chain, { recursive: true })

  const second = await startStack(folder)
  expect(second.output()).toMatch(/The last start was killed\. .* goes on from block \d+, saved at/)
  expect(second.output()).toContain("same bytes: 1 of the relay's transactions")
  const now = second.stack()
  const client = createPublicClient({ transport: http(now.nodeUrl) })
  expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
  expect(await dial(now.relayUrl, payment)).toBe(reply)
  expect(await balanceOf(folder, now.nodeUrl, contracts.loan, bob)).toBe(parseEther('1.25'))
  expect(await executed(second)).toBe(1)
  await second.interrupt()
})

function dialTwenty(relayUrl: string): Promise<string[]> {
  return Promise.all(Array.from({ length: 20 }, () => dial(relayUrl, payment)))
}

/** Intents that the forwarder has spent, from the chain's own events. */
async function executed(start: Start): Promise<number> {
  const { nodeUrl, contracts } = start.stack()
  const client = createPublicClient({ transport: http(nodeUrl) })
  const logs = await client.getLogs({ address: contracts.forwarder, fromBlock: 0n })
  return resultsInLogs({ chainId: 31, address: contracts.forwarder }, logs).length
}
