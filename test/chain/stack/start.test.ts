import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, createTestClient, http, parseEther, publicActions } from 'viem'
import { anvil } from 'viem/chains'
import { type ExpectStatic, expect, test } from 'vitest'
import { borrowers } from '../../../scripts/contracts/borrowers.ts'
import { createRpcCall } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { doctor } from '../../../scripts/ops/doctor.ts'
import { ops } from '../../../scripts/ops.ts'
import { readIfThere, writeJson } from '../../../scripts/stack/files.ts'
import { openFolder } from '../../../scripts/stack/folder.ts'
import { dialCommand } from '../../../scripts/stack/phone/dial.ts'
import { isRunning } from '../../../scripts/stack/processes.ts'
import { runHere } from '../../support/processes.ts'
import {
  balanceOf,
  createDevFolder,
  dial,
  leaveMark,
  longWalkMs,
  runCommand,
  type Start,
  startStack,
} from './stack-process.ts'

const [alice, bob, carol] = ['+254700000001', '+254700000002', '+254700000009']

test('the first start serves a relay on its own chain, and the second one continues from it', {
  timeout: longWalkMs,
}, async () => {
  const folder = createDevFolder()
  // A chain that was begun a week ago has today's time all the same, or no deadline would be met.
  const weekAgo = Math.floor(Date.now() / 1_000) - 7 * 24 * 3_600
  writeJson(openFolder({ DEV_DIR: folder }).chainGenesisTime, weekAgo)
  const first = await startStack(folder)
  expect(first.output()).toContain('Started a new local chain')
  const { relayUrl, rpcUrl, nodeUrl, contracts, relayers, chainId } = first.stack()
  // The first thing that a start names is the phone, which is also at the root.
  expect(first.output()).toContain(`Open ${relayUrl}/phone`)
  const { url, status } = await fetch(relayUrl)
  expect({ url, status, chainId }).toEqual({ url: `${relayUrl}/phone`, status: 200, chainId: 31 })
  for (const file of ['secrets.json', 'stack.json', 'pids.json']) {
    expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  }
  await followsTranscript(expect, folder, relayUrl)

  const balance = (phone: string) => balanceOf(folder, nodeUrl, contracts.loan, phone)
  const paid = await dial(relayUrl, transfer)
  expect(paid).toMatch(/^END Transfer Submitted\nTo: 2547\.\.\.002\nTx: 0x/)
  await until(async () => (await balance(bob)) === parseEther('1.25'))
  const client = createPublicClient({ transport: http(rpcUrl) })
  expect(await client.getChainId()).toBe(31)
  expect(await client.getBalance({ address: relayers[0] ?? '0x' })).toBeGreaterThan(0n)

  const funded = await runHere(ops, ['fund', carol, '0.5'], { env: { DEV_DIR: folder } })
  expect(funded.code, funded.output).toBe(0)
  expect(await balance(carol)).toBe(parseEther('0.5'))
  const dialled = ['--phone', carol, '--text', '1']
  const shown = await runHere(dialCommand, dialled, { env: { DEV_DIR: folder } })
  expect(shown.output).toBe('END Your Balance: 0.5 tRBTC\n')
  await operates(expect, folder, relayUrl)
  const other = await (await startStack(folder)).ended
  const words = expect.stringContaining(`The stack already runs at ${relayUrl}`)
  expect(other).toEqual({ code: 1, output: words })

  const lastBlock = await leaveMark(nodeUrl)
  const chain = chainAt(nodeUrl)
  const left = Number((await chain.getBlock()).timestamp)
  // As in the drills of the contracts, which wait for two days.
  await chain.increaseTime({ seconds: 172_800 })
  await chain.mine({ blocks: 1 })
  const running = first.pids()
  expect(running.map(({ name }) => name).sort()).toEqual(['anvil', 'main', 'workerd'])
  const stopped = await first.interrupt()
  expect(stopped.code).toBe(0)
  expect(running.filter(({ id }) => isRunning(id))).toEqual([])
  const unasked = await runHere(ops, ['status'], { env: { DEV_DIR: folder } })
  expect(unasked.output).toBe('No stack runs here. Start one with: npm start\n')

  const second = await startStack(folder, { args: ['--rootstock'] })
  expect(second.output()).not.toMatch(/killed|deploying contracts/)
  expect(second.stack().relayers).toEqual(relayers)
  // It has the contracts, money and sessions, and pays nothing again.
  expect(second.output()).toContain('goes on from block')
  const again = second.stack()
  expect(await lastBlock.isOn(again.nodeUrl)).toBe(true)
  expect(again.contracts).toEqual(contracts)
  expect(await dial(again.relayUrl, transfer)).toBe(paid)
  expect(await balanceOf(folder, again.nodeUrl, contracts.loan, bob)).toBe(parseEther('1.25'))
  await paysAsOnRootstock(expect, folder, second, left)
  await second.interrupt()

  const reset = await startStack(folder, { args: ['--reset'] })
  expect(reset.output()).toContain('starting over')
  const asked = { sessionId: 's4', phoneNumber: bob, text: '1' }
  expect(await dial(reset.stack().relayUrl, asked)).toBe('END Your Balance: 1 tRBTC')
  await dialsByHand(expect, folder, reset)
  await reset.interrupt()
})

const transfer = { sessionId: 's2', phoneNumber: alice, text: `2*${bob}*0.25` }

const transcript = new URL('../../conformance/demonstration.txt', import.meta.url)

/** A plain start shows the screens and writes the log of the transcript, byte for byte. */
async function followsTranscript(expect: ExpectStatic, folder: string, relayUrl: string) {
  const expected = readFileSync(transcript, 'utf8')
  const outcomes = () => outcomesIn(join(folder, 'logs', 'relay.log'))
  const steps: string[] = []
  const shown: string[] = []
  let told = 0
  // The lines that act: a delivery with its session and text, or a look at the log.
  const acts = expected.matchAll(/^\$ (?:dial ([\w-]+) '([^']*)'|log)$/gm)
  for (const [step, sessionId, text = ''] of acts) {
    if (sessionId === undefined) {
      await until(() => outcomes().length > told)
      steps.push(`${step}\n${masked(outcomes()[told] ?? '')}\n`)
      told += 1
    } else {
      const screen = await dial(relayUrl, { sessionId, phoneNumber: alice, text })
      shown.push(...(/^Tx: (0x\w+)/m.exec(screen)?.slice(1) ?? []))
      steps.push(`${step}\n${masked(screen)}\n`)
    }
  }
  expect(steps.join('\n')).toBe(expected)
  // Each hash that a screen cuts off is the beginning of one that the log has in full.
  expect(outcomes()).toHaveLength(2)
  const [paid, lent] = outcomes().map((line) => line.replace(/^.*: /, '').slice(0, 12))
  expect(shown).toEqual([paid, paid, lent])
}

/** Hashes differ from chain to chain: each digit of one becomes `#`. */
function masked(text: string): string {
  const hashes = /(?<=(?:^Tx: |confirmed: )0x)[0-9a-f]+/gm
  return text.replaceAll(hashes, (digits) => '#'.repeat(digits.length))
}

function outcomesIn(file: string): string[] {
  const outcome = /"message":"((?:Transfer|Loan) (?:confirmed|failed on-chain): [^"]+)"/g
  return [...`${readIfThere(file)}`.matchAll(outcome)].map(([, said = '']) => said)
}

/** Payments by the rules of Rootstock's pool, on the chain of before. */
async function paysAsOnRootstock(expect: ExpectStatic, folder: string, start: Start, left: number) {
  expect(start.output()).toMatch(/Started a Rootstock pool at http:.*: a block every 3 s/)
  const { relayUrl, nodeUrl, rpcUrl, contracts } = start.stack()
  expect(await createRpcCall(nodeUrl)('web3_clientVersion')).toMatch(/^RskJ/)
  expect(await createRpcCall(rpcUrl)('eth_gasPrice')).toBe('0x3ef1480')
  const balance = (phone: string) => balanceOf(folder, nodeUrl, contracts.loan, phone)
  // The chain was left two days ahead, where each request has expired. It is today's again with its
  // next block, and no loan is younger than that.
  const time = async () => Number((await chainAt(nodeUrl).getBlock()).timestamp)
  await until(async () => (await time()) <= Date.now() / 1_000 + 1)
  expect(await time()).toBeGreaterThanOrEqual(left)
  const sent = { sessionId: 's3', phoneNumber: bob, text: `2*${carol}*0.25` }
  await until(async () => (await fetch(`${relayUrl}/readyz`)).ok)
  expect(await dial(relayUrl, sent)).toMatch(/^END Transfer Submitted\n/)
  await until(async () => (await balance(carol)) === parseEther('0.75'))
  const funded = await runHere(ops, ['fund', bob, '0.25'], { env: { DEV_DIR: folder } })
  expect(funded.code, funded.output).toBe(0)
}

/** The terminal phone shows screens and sends what is typed, and plays flows. */
async function dialsByHand(expect: ExpectStatic, folder: string, start: Start): Promise<void> {
  const input = `${alice}\n2\n${bob}\n0.1\nq\n`
  const phone = await runCommand(folder, 'phone/dial.ts', [], { input })
  expect(phone.code, phone.output).toBe(0)
  expect(phone.output).toContain('| 2. Send Money (P2P)')
  expect(phone.output).toContain('| Enter Recipient Address:_________ |')
  expect(phone.output).toContain('| Transfer Submitted')
  const script = fileURLToPath(new URL('../../flows/demo/every-way.txt', import.meta.url))
  const played = await runHere(dialCommand, ['--script', script], { env: { DEV_DIR: folder } })
  expect(played.code, played.output).toBe(0)
  expect(played.output).toContain('END You have no loan to repay.')
  expect(start.output() + phone.output).not.toMatch(/warn/i)
}

const chainAt = (nodeUrl: string) =>
  createTestClient({ mode: 'anvil', chain: anvil, transport: http(nodeUrl) }).extend(publicActions)

async function operates(expect: ExpectStatic, folder: string, relayUrl: string): Promise<void> {
  const env = { DEV_DIR: folder }
  const run = (args: string[], input = '') => runHere(ops, args, { env, input })
  const reconciled = await run(['reconcile', '--accounts'])
  expect(reconciled.output).toMatch(
    /^3 payments of the ledger, 3 spent intents and \d+ events up to block \d+: 0 differences\.\n$/,
  )
  expect(reconciled.code).toBe(0)
  expect((await run(['status'])).output).toMatch(/^Payments are taken\.$/m)
  const { payments } = JSON.parse((await run(['payments', '--json'])).output) as {
    payments: { intent: string; account: string }[]
  }
  expect(payments).toHaveLength(3)
  const { intent = '', account = '' } = payments[0] ?? {}
  expect((await run(['payments'])).output).toContain(` Transfer 0.25 tRBTC  of ${account}`)
  const why = { output: '' }
  await until(async () => {
    Object.assign(why, await run(['why', intent]))
    return /^The transfer of .+ was done in block \d+/.test(why.output)
  })
  const called = await run(['why'], `${alice}\n`)
  expect(called.output).toContain(`Account ${account}: balance 0.51 tRBTC, owes 0.01 tRBTC, due `)
  const [happened = ''] = why.output.split('\n')
  expect(called.output).toContain(`${happened}\n`)
  // A number in the place of an intent is not repeated.
  const typed = await run(['why', alice])
  expect([typed.code, typed.output.includes(alice)]).toEqual([1, false])

  const send = { phoneNumber: alice, text: `2*${bob}*0.01` }
  expect((await run(['pause'])).output).toMatch(/^Payments are paused: new ones are refused/)
  expect(await dial(relayUrl, { ...send, sessionId: 'paused' })).toMatch(/^END Payments are paused/)
  expect((await run(['status'])).output).toMatch(/^Payments are paused: .+ \(since 2/m)
  const file = join(folder, 'operators.jsonl')
  expect((await run(['export', '--out', file])).output).toMatch(/ has \d+ rows\.\n$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const refused = await run(['import', '--from', join(folder, 'stack.json')])
  expect([refused.code, refused.output.includes('is no whole export')]).toEqual([1, true])
  expect((await run(['import', '--from', file])).output).toBe('0 rows were added.\n')
  expect((await run(['resume'])).output).toMatch(/^Payments are taken/)
  expect((await run(['import', '--from', file])).output).toContain('pause them first')

  expect((await run(['audit'])).output).toMatch(
    /^2\S+Z {2}shared token {2}resume\n(2\S+Z {2}shared token {2}import {2}added 0\n)+2\S+Z {2}shared token {2}pause$/m,
  )
  expect((await run(['set-back'])).output).toMatch(/^Say to when, in UTC: --to 2\d{3}-\S+Z\n/)

  const examined = await runHere(doctor, [], { env })
  expect(examined.output).toMatch(/^ok {3}dial +A balance is shown\.\n/m)
  expect(examined.output).toMatch(
    /^ok {3}operator +The token is taken, as that of operator \(money\)\.\n/m,
  )
  expect(examined.code, examined.output).toBe(0)
  for (const done of ['1 added, 0 were so already\n', '0 added, 1 were so already\n']) {
    expect((await runHere(borrowers, ['add'], { env, input: bob })).output).toBe(done)
  }
}
