import { readdirSync, rmSync } from 'node:fs'
import { createTestClient, type Hex, http, parseEther, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil as anvilChain } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { startLoopbackServer } from '../../../scripts/dev/loopback-server.ts'
import { freePort } from '../../../scripts/dev/ports.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { ops } from '../../../scripts/ops.ts'
import { openNode } from '../../../scripts/stack/chain/node.ts'
import { prepareStack } from '../../../scripts/stack/deployment.ts'
import { openFolder } from '../../../scripts/stack/folder.ts'
import { makeSecrets, openSecrets } from '../../../scripts/stack/secrets.ts'
import { runHere } from '../../support/processes.ts'
import { startPlainNode } from '../contracts/gate.ts'
import { balanceOf, createDevFolder, dial, startStack } from './stack-process.ts'

const [alice, bob] = ['+254700000001', '+254700000002']

/** Nobody's, and without money on any fresh chain. */
const deployerKey = `0x${'5a'.repeat(32)}` as const

async function startNode(chainId = 31, args: string[] = []) {
  const node = await startAnvil({ chainId, args })
  onTestFinished(() => node.stop())
  return node.url
}

const testClient = (url: string) =>
  createTestClient({ mode: 'anvil', chain: anvilChain, transport: http(url) }).extend(publicActions)

test('with NODE_URL the stack uses that node and leaves it running; other contracts keep the ledger, and foreign ones stop the start', async () => {
  const folder = createDevFolder()
  const env = { NODE_URL: await startNode() }
  const first = await startStack(folder, { env })
  const { relayUrl, nodeUrl, contracts } = first.stack()
  expect(nodeUrl).toBe(env.NODE_URL)
  expect(first.pids().map(({ name }) => name)).not.toContain('anvil')
  const payment = { sessionId: 'n1', phoneNumber: alice, text: `2*${bob}*0.25` }
  const paid = await dial(relayUrl, payment)
  expect(paid).toContain('Transfer Submitted')
  // While a payment is open the ledger takes no other contracts.
  await until(() => first.output().includes('Transfer confirmed'))
  expect(await balanceOf(folder, nodeUrl, contracts.loan, bob)).toBe(parseEther('1.25'))
  await first.interrupt()

  // The ledger is the chain's: what was paid through the former contracts is not paid again.
  const dev = openFolder({ DEV_DIR: folder })
  const node = await openNode([nodeUrl], 31)
  rmSync(dev.deployment(node.genesis))
  const moved = await startStack(folder, { env })
  const { loan } = moved.stack().contracts
  expect(loan).not.toBe(contracts.loan)
  expect(await dial(moved.stack().relayUrl, payment)).toBe(paid)
  const reconciled = await runHere(ops, ['reconcile'], { env: { DEV_DIR: folder } })
  expect(reconciled.output).toMatch(
    /^1 payments went to other contracts: they are not compared\.\n0 payments .+ 0 differences\.\n$/,
  )
  await moved.interrupt()

  const secrets = openSecrets(dev.secrets)
  const wanted = { secrets, deployerKey: undefined, restart: 'npm run restart' }
  expect(await prepareStack(dev, node, wanted)).toMatchObject({ loan })
  const client = testClient(nodeUrl)
  const code = (await client.getCode({ address: loan })) ?? '0x'
  await client.setCode({ address: loan, bytecode: `${code.slice(0, -2)}5b` as Hex })
  await expect(prepareStack(dev, node, wanted)).rejects.toThrow(
    /^MicroLoan at 0x\w+ differs from this build.+: npm run restart$/,
  )
})

test('a node that is no anvil is paid for by DEPLOYER_KEY, the start names what to fund, and --reset deploys anew', async () => {
  const folder = createDevFolder()
  // As on a public network: a new anvil's own price is above the highest that is paid there.
  const anvil = await startNode(31, ['--base-fee', '0', '--gas-price', '60000000'])
  const NODE_URL = `${await startPlainNode(anvil)}/key-of-the-node`
  const node = await openNode([NODE_URL], 31)
  const { address } = privateKeyToAccount(deployerKey)
  const secrets = makeSecrets()
  const prepare = (deployerKey?: Hex) => {
    const wanted = { secrets, deployerKey, restart: '' }
    return prepareStack(openFolder({ DEV_DIR: folder }), node, wanted).catch(String)
  }
  const nobody = await prepare()
  expect(nobody).toContain('Set DEPLOYER_KEY to a key with at least 0.024 tRBTC')
  const poor = await prepare(deployerKey)
  const lacks = 'has 0 tRBTC on Rootstock Testnet (chain 31) and needs 0.024 tRBTC'
  expect(poor).toContain(`The account of DEPLOYER_KEY, ${address}, ${lacks}`)
  await testClient(anvil).setBalance({ address, value: parseEther('0.1') })
  const before = await prepare(deployerKey)
  // Where nothing is left to do, nobody has to pay.
  expect(await prepare()).toEqual(before)
  const env = { NODE_URL, DEPLOYER_KEY: deployerKey }
  const rich = await startStack(folder, { env, args: ['--reset'] })
  expect(before).toMatchObject({ loan: expect.not.stringContaining(rich.stack().contracts.loan) })
  const dialled = { sessionId: 'p1', phoneNumber: alice, text: '1' }
  expect(await dial(rich.stack().relayUrl, dialled)).toBe('END Your Balance: 0 tRBTC')
  expect(rich.output()).not.toContain('were given')
  await rich.interrupt()
  const told = `${nobody} ${poor} ${rich.output()}`
  for (const secret of ['key-of-the-node', deployerKey.slice(2)]) expect(told).not.toContain(secret)
})

test('an unreachable node, a wrong chain and a used port are named before anything starts', async () => {
  const folder = createDevFolder()
  const failing = async (env: Record<string, string>) => {
    const { code, output } = await (await startStack(folder, { env })).ended
    expect(code).toBe(1)
    return output
  }
  // It was refused by the Worker, again and again, once all else was there.
  expect(await failing({ CONFIRMATIONS: 'many' })).toBe('CONFIRMATIONS has to be a number\n')
  const away = `http://127.0.0.1:${await freePort()}`
  expect(await failing({ NODE_URL: away })).toBe(`No node answers at ${away} (ECONNREFUSED).\n`)
  // A chain would have made a folder.
  expect(readdirSync(folder)).toEqual(['lock.db', 'logs', 'secrets.json'])

  const mainnet = await startNode(30)
  const remedy = 'name another one in NODE_URL, or its chain (CHAIN_ID, --network).'
  const wrong = `The node at ${mainnet} serves chain 30, not 31: ${remedy}`
  await expect(openNode([away, mainnet], 31)).rejects.toThrow(wrong)
  const page = await startLoopbackServer(async (_, response) => void response.end('<html>'))
  onTestFinished(page.close)
  const silent = `No node answers at ${page.url} (it is not a JSON-RPC node).`
  await expect(openNode([page.url], 31)).rejects.toThrow(silent)
  const { port } = new URL(page.url)
  const choose = `Choose one with: PORT=${Number(port) + 1} npm start\n`
  const used = `Port ${port} is in use by another program. ${choose}`
  expect(await failing({ PORT: port })).toBe(used)
})
