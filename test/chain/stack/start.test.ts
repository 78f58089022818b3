import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, createTestClient, http, parseEther, publicActions } from 'viem'
import { anvil } from 'viem/chains'
import { type ExpectStatic, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { writeJson } from '../../../scripts/stack/files.ts'
import { openFolder } from '../../../scripts/stack/folder.ts'
import { gatewayNames } from '../../../scripts/stack/phone/phone-lines.ts'
import { isRunning } from '../../../scripts/stack/process-id.ts'
import { isFull, sampleOf } from '../../support/sample.ts'
import { flowsOf, phonesAt, playFlow, tracesOf, typedPins } from './flows.ts'
import {
  balanceOf,
  createDevFolder,
  dial,
  leaveMark,
  runCommand,
  type Start,
  startStack,
} from './stack-process.ts'

const [alice, bob, carol] = ['+254700000001', '+254700000002', '+254700000009']

/** A folder of programs: an apt-get that notes that it was asked, and no redis-server. */
function programsWithAptAlone(folder: string): string {
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  const note = `#!/bin/sh\n: > '${join(folder, 'asked-of-apt')}'\n`
  writeFileSync(join(programs, 'apt-get'), note, { mode: 0o755 })
  return programs
}

test('a first start serves a relay on a chain of its own, and a second one goes on from it', async () => {
  const folder = createDevFolder()
  const first = await startStack(folder)
  expect(first.output()).toContain('Started a new local chain')
  const { relayUrl, rpcUrl, nodeUrl, contracts, relayers, chainId } = first.stack()
  expect(chainId).toBe(31)
  for (const file of ['secrets.json', 'stack.json', 'pids.json']) {
    expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600)
  }

  const balance = (phone: string) => balanceOf(folder, nodeUrl, contracts.loan, phone)
  expect(await dial(relayUrl, { sessionId: 's1', phoneNumber: alice, text: '1' })).toBe(
    'END Your Balance: 1 tRBTC',
  )
  const before = await balance(bob)
  const paid = await dial(relayUrl, { sessionId: 's2', phoneNumber: alice, text: `2*${bob}*0.25` })
  expect(paid).toMatch(/^END Transfer Submitted\nTo: 2547\.\.\.002\nTx: 0x/)
  await until(async () => (await balance(bob)) === before + parseEther('0.25'))

  const client = createPublicClient({ transport: http(rpcUrl) })
  expect(await client.getChainId()).toBe(31)
  expect(await client.getBalance({ address: relayers[0] ?? '0x' })).toBeGreaterThan(0n)

  const funded = await runCommand(folder, 'money/fund.ts', [carol, '0.5'])
  expect(funded.code, funded.output).toBe(0)
  expect(await balance(carol)).toBe(parseEther('0.5'))
  const shown = await runCommand(folder, 'phone/dial.ts', ['--phone', carol, '--text', '1'])
  expect(shown.output).toBe('END Your Balance: 0.5 tRBTC\n')
  const reconciled = await runCommand(folder, '../ops/ops-cli.ts', ['reconcile', '--accounts'])
  expect(reconciled.output).toMatch(
    /^1 payments of the ledger, 1 spent intents and \d+ events up to block \d+: 0 differences\.\n$/,
  )
  expect(reconciled.code).toBe(0)
  await operates(expect, folder, relayUrl)

  await isAlone(expect, folder, relayUrl)
  expect(await dial(relayUrl, { sessionId: 's3', phoneNumber: bob, text: '1' })).toBe(
    'END Your Balance: 1.25 tRBTC',
  )

  const lastBlock = await leaveMark(nodeUrl)
  const left = await blockTime(nodeUrl)
  await sendAhead(nodeUrl)
  const running = first.pids()
  expect(running.map(({ name }) => name).sort()).toEqual(['anvil', 'main', 'workerd'])
  const stopped = await first.interrupt()
  expect(stopped.code).toBe(0)
  expect(running.filter(({ id }) => isRunning(id))).toEqual([])
  expect((await runCommand(folder, 'money/fund.ts', [carol, '1'])).output).toBe(
    'No stack runs here. Start one with: npm start\n',
  )

  const second = await startStack(folder)
  expect(second.stack().contracts).toEqual(contracts)
  expect(second.stack().relayers).toEqual(relayers)
  expect(await lastBlock.isOn(second.stack().nodeUrl)).toBe(true)
  await goesOn(expect, folder, second, { paid, left })

  const reset = await startStack(folder, { args: ['--reset'] })
  expect(reset.output()).toContain('starting over')
  expect(await dial(reset.stack().relayUrl, { sessionId: 's4', phoneNumber: bob, text: '1' })).toBe(
    'END Your Balance: 1 tRBTC',
  )
  await reset.interrupt()
})

/** While a stack runs, another one of its folder is refused, and nothing is installed for it. */
async function isAlone(expect: ExpectStatic, folder: string, relayUrl: string): Promise<void> {
  const twice = await startStack(folder)
  const { code, output } = await twice.ended
  expect(code).toBe(1)
  expect(output).toContain(`The stack already runs at ${relayUrl}`)
  // On Deno too, and before anything is installed that Deno would need.
  const withoutRedis = { PATH: programsWithAptAlone(folder) }
  const onDeno = await startStack(folder, { args: ['--deno'], env: withoutRedis })
  expect((await onDeno.ended).output).toContain(`The stack already runs at ${relayUrl}`)
  expect(existsSync(join(folder, 'asked-of-apt'))).toBe(false)
}

/** A second start has the money, the sessions and the time of the first: the screen, and when it was left (Unix, s). */
async function goesOn(
  expect: ExpectStatic,
  folder: string,
  second: Start,
  { paid, left }: { paid: string; left: number },
): Promise<void> {
  expect(second.output()).toContain('goes on from block')
  expect(second.output()).not.toMatch(/killed|deploying contracts/)
  const again = second.stack()
  expect(await balanceOf(folder, again.nodeUrl, again.contracts.loan, bob)).toBe(parseEther('1.25'))
  // The session is remembered too: the same bytes, and nothing is paid again.
  expect(
    await dial(again.relayUrl, { sessionId: 's2', phoneNumber: alice, text: `2*${bob}*0.25` }),
  ).toBe(paid)
  // The chain was left two days ahead, where each request has expired. It is today's again, and no loan
  // is younger than its next block.
  const resumed = await blockTime(again.nodeUrl)
  expect(resumed).toBeGreaterThanOrEqual(left)
  expect(resumed).toBeLessThanOrEqual(Date.now() / 1_000 + 1)
  await second.interrupt()
}

const chainAt = (nodeUrl: string) =>
  createTestClient({ mode: 'anvil', chain: anvil, transport: http(nodeUrl) }).extend(publicActions)

/** Of a block that is mined now, in Unix seconds. */
async function blockTime(nodeUrl: string): Promise<number> {
  const chain = chainAt(nodeUrl)
  await chain.mine({ blocks: 1 })
  return Number((await chain.getBlock()).timestamp)
}

/** As in the drills of the contracts, which wait for two days. */
async function sendAhead(nodeUrl: string): Promise<void> {
  const chain = chainAt(nodeUrl)
  await chain.increaseTime({ seconds: 172_800 })
  await chain.mine({ blocks: 1 })
}

/** The operator's commands, on the stack of the first test. */
async function operates(expect: ExpectStatic, folder: string, relayUrl: string): Promise<void> {
  const ops = (args: string[], input = '') =>
    runCommand(folder, '../ops/ops-cli.ts', args, { input })
  expect((await ops(['status'])).output).toMatch(/^Payments are taken\.$/m)
  const { payments } = JSON.parse((await ops(['payments', '--json'])).output) as {
    payments: { intent: string; account: string }[]
  }
  expect(payments).toHaveLength(1)
  const { intent = '', account = '' } = payments[0] ?? {}
  expect((await ops(['payments'])).output).toContain(` Transfer 0.25 tRBTC  of ${account}`)
  const why = await ops(['why', intent])
  expect(why.output).toMatch(/^The transfer of .+ (was done in|is in) block \d+/)
  const called = await ops(['why'], `${alice}\n`)
  expect(called.output).toContain(`Account ${account}: balance 0.75 tRBTC, owes 0 tRBTC.\n`)
  const [happened = ''] = why.output.split('\n')
  expect(called.output).toContain(`${happened}\n`)
  // A number in the place of an intent is not repeated.
  const typed = await ops(['why', alice])
  expect([typed.code, typed.output.includes(alice)]).toEqual([1, false])

  const send = { phoneNumber: alice, text: `2*${bob}*0.01` }
  expect((await ops(['pause'])).output).toMatch(/^Payments are paused: new ones are refused/)
  expect(await dial(relayUrl, { ...send, sessionId: 'paused' })).toMatch(/^END Payments are paused/)
  expect((await ops(['status'])).output).toMatch(/^Payments are paused: .+ \(since 2/m)
  expect((await ops(['resume'])).output).toMatch(/^Payments are taken/)

  const file = join(folder, 'ledger.jsonl')
  expect((await ops(['export', '--out', file])).output).toMatch(
    / has \d+ entries of the ledger\.\n$/,
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const refused = await ops(['restore', '--from', join(folder, 'stack.json')])
  expect([refused.code, refused.output.includes('is no export of a ledger')]).toEqual([1, true])
  expect((await ops(['restore', '--from', file, '--add'])).output).toMatch(
    /^0 entries of .+ were added/,
  )
}

test('the terminal phone shows screens and sends what is typed', async () => {
  const folder = createDevFolder()
  // A chain that was begun a week ago has today's time all the same, or no deadline would be met.
  const weekAgo = Math.floor(Date.now() / 1_000) - 7 * 24 * 3_600
  writeJson(openFolder({ DEV_DIR: folder }).chainGenesisTime, weekAgo)
  const start = await startStack(folder)
  const phone = await runCommand(folder, 'phone/dial.ts', [], {
    input: `${alice}\n2\n${bob}\n0.1\nq\n`,
  })
  expect(phone.code, phone.output).toBe(0)
  expect(phone.output).toContain('| 2. Send Money (P2P)')
  expect(phone.output).toContain('| Enter Recipient Address:_________ |')
  expect(phone.output).toContain('| Transfer Submitted')
  const script = fileURLToPath(new URL('../../flows/demo/every-way.txt', import.meta.url))
  const played = await runCommand(folder, 'phone/dial.ts', ['--script', script])
  expect(played.code, played.output).toBe(0)
  expect(played.output).toContain('END You have no loan to repay.')
  expect(start.output() + phone.output).not.toMatch(/warn/i)
  const [drawn = ''] = sampleOf(1, flowsOf('demo'), 'flow')
  await playFlow({ folder, start }, drawn, 10)
  await playFlow({ folder, start }, drawn, 20, 'hubtel')
  await start.interrupt()
})

const helpNumber = { HELP_NUMBER: '0700 000 099' }
const environments = {
  demo: { PROFILE: 'demo' },
  lender: { PROFILE: 'lender', PIN: 'off', ...helpNumber },
  strict: { PROFILE: 'lender', PIN: 'strict', ...helpNumber },
}

/** Above the numbers that the stack itself names. */
const firstPlace = 4

const stacks = (['demo', 'lender', 'strict'] as const).flatMap((profile) =>
  ['worker', 'deno'].map((runtime) => ({ profile, runtime })),
)

test.for(isFull ? stacks : [])(
  'every flow of $profile is dialled on a stack through each gateway, and nothing of a person is written: $runtime',
  async ({ profile, runtime }) => {
    const folder = createDevFolder()
    const env = environments[profile]
    const start = await startStack(folder, { env, args: runtime === 'deno' ? ['--deno'] : [] })
    const played = gatewayNames.flatMap((gateway) =>
      flowsOf(profile).map((file) => ({ file, gateway })),
    )
    for (const [index, { file, gateway }] of played.entries()) {
      await playFlow({ folder, start }, file, firstPlace + index, gateway)
    }
    const phones = played.flatMap((_, index) => phonesAt(firstPlace + index))
    const secrets = [...typedPins, ...phones.map((phone) => phone.slice(1))]
    expect(await tracesOf({ folder, start }, secrets)).toEqual([])
  },
)
