import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { readSavedHead } from '../../../scripts/stack/chain/chain-state.ts'
import { readIfThere } from '../../../scripts/stack/files.ts'
import { openFolder } from '../../../scripts/stack/folder.ts'
import { decodeResults } from '../../../src/relay/forwarder/requests.ts'
import {
  balanceOf,
  createDevFolder,
  dial,
  leaveMark,
  longWalkMs,
  type Start,
  startStack,
} from './stack-process.ts'

const [alice, bob] = ['+254700000001', '+254700000002']
const payment = { sessionId: 'killed', phoneNumber: alice, text: `2*${bob}*0.25` }
const lost = { ...payment, sessionId: 'lost' }

test('after any part of a stack is killed with -9, the next start continues, and each payment is made once', {
  timeout: longWalkMs,
}, async () => {
  const folder = createDevFolder()
  const first = await startStack(folder)
  const replies = await dialTwenty(first)
  expect(replies[0]).toContain('Transfer Submitted')
  const lastBlock = await leaveMark(first.stack().nodeUrl)
  const workerd = first.pids().find(({ name }) => name === 'workerd')
  const { port: PORT } = new URL(first.stack().relayUrl)
  await first.kill('main')

  // The Worker is left, with its port, and the node: what it has is kept, and the payment is
  // answered and not made again.
  const second = await startStack(folder, { env: { PORT } })
  expect(second.output()).toContain(
    `Ending the Worker that a killed start left running (process ${workerd?.id.pid})`,
  )
  expect(second.output()).toContain('Ending the local chain that a killed start left running')
  const { nodeUrl, contracts } = second.stack()
  const balance = (at = nodeUrl) => balanceOf(folder, at, contracts.loan, bob)
  expect(await lastBlock.isOn(nodeUrl)).toBe(true)
  expect(new Set([...replies, ...(await dialTwenty(second))]).size).toBe(1)
  await until(async () => (await executed(second)) === 1)
  expect(await balance()).toBe(parseEther('1.25'))

  // Nothing is left, and the chain is older than the ledger: what it has lost is sent again, once.
  const height = Number(await createPublicClient({ transport: http(nodeUrl) }).getBlockNumber())
  await until(() => Number(readSavedHead(openFolder({ DEV_DIR: folder }))?.number) >= height)
  const [chain, older] = [join(folder, 'chain'), join(folder, 'older')]
  cpSync(chain, older, { recursive: true })
  const reply = await dial(second.stack().relayUrl, lost)
  await until(async () => (await balance()) === parseEther('1.5'))
  const [, shown = ''] = /^Tx: (0x\w+)/m.exec(reply) ?? []
  const confirmed = () =>
    new RegExp(`Transfer confirmed: (${shown}\\w+)`).exec(
      `${readIfThere(join(folder, 'logs', 'relay.log'))}`,
    )?.[1]
  await until(() => confirmed() !== undefined)
  const hash = confirmed() as `0x${string}`
  await second.kill()
  rmSync(chain, { recursive: true })
  cpSync(older, chain, { recursive: true })
  const third = await startStack(folder)
  expect(third.output()).toMatch(/The last start was killed\. .* goes on from block \d+, saved at/)
  const now = third.stack()
  const client = createPublicClient({ transport: http(now.nodeUrl) })
  await until(async () => (await balance(now.nodeUrl)) === parseEther('1.5'))
  expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
  expect(await dial(now.relayUrl, lost)).toBe(reply)
  expect(await executed(third)).toBe(2)
  await third.interrupt()
})

function dialTwenty(start: Start): Promise<string[]> {
  return Promise.all(Array.from({ length: 20 }, () => dial(start.stack().relayUrl, payment)))
}

async function executed(start: Start): Promise<number> {
  const { nodeUrl, contracts } = start.stack()
  const client = createPublicClient({ transport: http(nodeUrl) })
  const logs = await client.getLogs({ address: contracts.forwarder, fromBlock: 0n })
  return decodeResults({ chainId: 31, address: contracts.forwarder }, logs).length
}
