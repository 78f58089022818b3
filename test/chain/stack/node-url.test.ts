import { readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createTestClient, type Hex, http, parseEther, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil as anvilChain } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { openFolder } from '../../../scripts/stack/folder.ts'
import { startPlainNode } from './plain-node.ts'
import { balanceOf, createDevFolder, dial, runCommand, startStack } from './stack-process.ts'

const [alice, bob] = ['+254700000001', '+254700000002']

/** Nobody's, and without money on any fresh chain. */
const deployerKey = `0x${'5a'.repeat(32)}` as const

async function startNode(chainId = 31, args: string[] = []) {
  const node = await startAnvil({ chainId, args })
  onTestFinished(() => node.stop())
  return node.url
}

function testClient(url: string) {
  return createTestClient({ mode: 'anvil', chain: anvilChain, transport: http(url) })
}

test('with NODE_URL the stack uses that node, leaves it running, and finds its contracts again', async () => {
  const folder = createDevFolder()
  const env = { NODE_URL: await startNode() }
  const first = await startStack(folder, { env })
  const { relayUrl, nodeUrl, contracts } = first.stack()
  expect(nodeUrl).toBe(env.NODE_URL)
  expect(first.pids().map(({ name }) => name)).not.toContain('anvil')
  await dial(relayUrl, { sessionId: 'n1', phoneNumber: alice, text: `2*${bob}*0.25` })
  const balance = () => balanceOf(folder, nodeUrl, contracts.loan, bob)
  await until(async () => (await balance()) === parseEther('1.25'))
  await first.interrupt()

  const second = await startStack(folder, { env })
  expect(second.stack().contracts).toEqual(contracts)
  expect(
    await dial(second.stack().relayUrl, { sessionId: 'n2', phoneNumber: bob, text: '1' }),
  ).toBe('END Your Balance: 1.25 tRBTC')
  await second.interrupt()
})

test('other contracts keep the ledger; those that are not what the code builds stop the start, and --reset deploys new ones', async () => {
  const folder = createDevFolder()
  const env = { NODE_URL: await startNode() }
  const first = await startStack(folder, { env })
  const former = first.stack().contracts.loan
  const payment = { sessionId: 'n3', phoneNumber: alice, text: `2*${bob}*0.25` }
  const paid = await dial(first.stack().relayUrl, payment)
  expect(paid).toContain('Transfer Submitted')
  // While a payment is open the ledger takes no other contracts.
  await until(() => first.output().includes('Transfer confirmed'))
  await first.interrupt()

  // The ledger is the chain's: what was paid through the former contracts is not paid again.
  const genesis = (
    await testClient(env.NODE_URL).extend(publicActions).getBlock({ blockNumber: 0n })
  ).hash
  rmSync(openFolder({ DEV_DIR: folder }).deployment(genesis))
  const moved = await startStack(folder, { env })
  const { loan } = moved.stack().contracts
  expect(loan).not.toBe(former)
  expect(await dial(moved.stack().relayUrl, payment)).toBe(paid)
  const reconciled = await runCommand(folder, '../ops/ops-cli.ts', ['reconcile'])
  expect(reconciled.output).toMatch(
    /^1 payments went to other contracts: they are not compared\.\n0 payments .+ 0 differences\.\n$/,
  )
  await moved.interrupt()

  const client = testClient(env.NODE_URL).extend(publicActions)
  const code = (await client.getCode({ address: loan })) ?? '0x'
  await client.setCode({ address: loan, bytecode: `${code.slice(0, -2)}5b` as Hex })

  const refused = await (await startStack(folder, { env })).ended
  expect(refused.code).toBe(1)
  expect(refused.output).toMatch(/The deployed MicroLoan \(0x\w+\) is not what this code builds/)
  expect(refused.output).toContain('npm start -- --reset')

  const reset = await startStack(folder, { env, args: ['--reset'] })
  expect(reset.stack().contracts.loan).not.toBe(loan)
  await reset.interrupt()
})

test('a node that is no anvil is paid for by DEPLOYER_KEY, and the start names what to fund', async () => {
  const folder = createDevFolder()
  // As on a public network: a new anvil's own price is above the highest that is paid there.
  const anvil = await startNode(31, ['--base-fee', '0', '--gas-price', '60000000'])
  const env = { NODE_URL: `${(await startPlainNode(anvil)).url}/key-of-the-node` }

  const nobody = await (await startStack(folder, { env })).ended
  expect(nobody.code).toBe(1)
  expect(nobody.output).toContain('Set DEPLOYER_KEY to a key with at least 0.024 tRBTC')
  expect(nobody.output).not.toContain('key-of-the-node')

  const paying = { ...env, DEPLOYER_KEY: deployerKey }
  const poor = await (await startStack(folder, { env: paying })).ended
  expect(poor.code).toBe(1)
  expect(poor.output).toMatch(
    /The account of DEPLOYER_KEY, 0x\w+, has 0 tRBTC .* needs 0\.024 tRBTC/,
  )
  expect(poor.output).not.toContain(deployerKey.slice(2))

  const { address } = privateKeyToAccount(deployerKey)
  expect(poor.output).toContain(address)
  await testClient(anvil).setBalance({ address, value: parseEther('0.1') })
  const rich = await startStack(folder, { env: paying })
  expect(
    await dial(rich.stack().relayUrl, { sessionId: 'p1', phoneNumber: alice, text: '1' }),
  ).toBe('END Your Balance: 0 tRBTC')
  expect(rich.output()).not.toContain('were given')
  await rich.interrupt()

  const unpaid = await startStack(folder, { env })
  expect(unpaid.stack().contracts).toBeDefined()
  await unpaid.interrupt()
})

test('a node that is away, or of another chain, or no node at all, is named', async () => {
  const folder = createDevFolder()
  const failing = async (nodeUrl: string) => {
    const { code, output } = await (await startStack(folder, { env: { NODE_URL: nodeUrl } })).ended
    expect(code).toBe(1)
    return output
  }
  const away = `http://127.0.0.1:${await freePort()}`
  expect(await failing(away)).toBe(`No node answers at ${away} (ECONNREFUSED).\n`)
  // Nothing was begun for it: a chain would have made a folder.
  expect(readdirSync(folder)).toEqual(['secrets.json'])

  const mainnet = await startNode(30)
  expect(await failing(`${away},${mainnet}`)).toBe(
    `The node at ${mainnet} serves chain 30, and this stack is for chain 31. For Rootstock set CHAIN_ID=30.\n`,
  )

  const server = createServer((_, response) => response.end('<html>'))
  onTestFinished(() => void server.close())
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  expect(await failing(`http://127.0.0.1:${port}`)).toBe(
    `No node answers at http://127.0.0.1:${port} (it is not a JSON-RPC node).\n`,
  )
  expect(await failing('127.0.0.1:8545')).toBe(
    'NODE_URL has "127.0.0.1:8545": it has to be an http or https address.\n',
  )
})

test('a port that is taken, and an invalid value, are named before anything is started', async () => {
  const folder = createDevFolder()
  const server = createServer()
  onTestFinished(() => void server.close())
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const failing = async (env: Record<string, string>, args: string[] = []) => {
    const { code, output } = await (await startStack(folder, { env, args })).ended
    expect(code).toBe(1)
    return output
  }
  expect(await failing({ PORT: `${port}` })).toBe(
    `Port ${port} is in use by another program. Choose one with: PORT=${port + 1} npm start\n`,
  )
  expect(await failing({ PORT: 'http' })).toBe(
    'PORT is "http": it has to be a number from 1 to 65535.\n',
  )
  expect(await failing({ CHAIN_ID: '1' })).toBe(
    'CHAIN_ID is "1": it has to be 31 (testnet) or 30 (mainnet).\n',
  )
  expect(await failing({ CHAIN_ID: '30' })).toBe(
    'CHAIN_ID=30 needs a node of that chain in NODE_URL: the local one is 31.\n',
  )
  expect(await failing({}, ['--rest'])).toMatch(
    /^There is an unknown option, or one without its value\.\n\nUsage: npm start \[/,
  )
})
