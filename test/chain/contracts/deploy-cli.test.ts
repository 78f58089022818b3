import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Address, createPublicClient, getAddress, http, numberToHex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { deployCommand } from '../../../scripts/contracts/deploy-cli.ts'
import { readArtifact } from '../../../scripts/contracts/forge.ts'
import { loanAt } from '../../../scripts/contracts/reads.ts'
import { devKey, startAnvil } from '../../../scripts/dev/anvil.ts'
import { root } from '../../../scripts/stack/folder.ts'
import { opened } from '../../support/opened.ts'
import { runHere, runScript } from '../../support/processes.ts'
import { isFull } from '../../support/sample.ts'
import { openPricedNode } from './gate.ts'

const run = promisify(execFile)
const relayer = privateKeyToAddress(generatePrivateKey())

const onMainnet = ['--network', 'mainnet']
const anvil = opened(() => startAnvil({ chainId: 30 }))
const recordFile = join(mkdtempSync(join(tmpdir(), 'record-')), '30.json')
const recorded = [...onMainnet, '--record', recordFile]
let deployed: { output: string; loan: Address; forwarder: Address }

beforeAll(async () => {
  const wanted = { RELAYERS: getAddress(relayer, 30), POOL: '2.5', DAILY_CAP: '0.5' }
  const { output } = await deploy(recorded, wanted)
  deployed = { output, ...JSON.parse(readFileSync(recordFile, 'utf8')) }
})

const refusing = (words: string) => ({ code: 1, output: expect.stringContaining(words) })
const blockNumber = () => anvil.ask('eth_blockNumber', [])

test("the command reads decimal amounts, and prints the configuration with its chain's checksums", async () => {
  expect(deployed.output).toContain('CHAIN_ID = "30"')
  expect(deployed.output).toContain(`LOAN_ADDRESS = "${getAddress(deployed.loan, 30)}"`)
  expect(deployed.output).toContain(`FORWARDER_ADDRESS = "${getAddress(deployed.forwarder, 30)}"`)
  expect(deployed.output).not.toContain(devKey.slice(2))
  const loan = loanAt(createPublicClient({ transport: http(anvil.url) }), deployed.loan)
  expect(await loan.liquidity()).toBe(parseEther('2.5'))
  expect((await loan.terms()).dailyCap).toBe(parseEther('0.5'))
})

test('the key is taken from a keystore or from the standard input, and never shown', async () => {
  const key = generatePrivateKey()
  const { HOME, ETH_PASSWORD } = await keystore(key)
  const file = join(HOME, '.foundry/keystores/mine')
  const password = readFileSync(ETH_PASSWORD, 'utf8')
  // No account but the one that it is asked of can be poor: it has no money here.
  for (const [flags, input, words] of [
    [['--keystore', file], `${password}\n`, /insufficient funds/i],
    [['--stdin'], `${key}\n`, /insufficient funds/i],
    [['--keystore', `${file}.not`], undefined, /There is no keystore/],
    [['--stdin'], '', /There is no key on the standard input/],
  ] as const) {
    const args = [...onMainnet, '--record', `${recordFile}.other`, ...flags]
    const { output } = await deploy(args, { RELAYERS: relayer, DEPLOYER_KEY: '' }, input)
    expect(output).toMatch(words)
    expect(output).not.toContain(key.slice(2))
  }
})

test('gas that is dearer than MAX_GAS_PRICE_WEI is not paid, and nothing is recorded', async () => {
  const price = 2_000_000_000
  const NODE_URL = await openPricedNode(anvil.url, BigInt(price))
  const file = `${recordFile}.dear`
  const args = [...onMainnet, '--record', file]
  const limit = (wei: number) => ({ NODE_URL, RELAYERS: relayer, MAX_GAS_PRICE_WEI: `${wei}` })
  const before = await blockNumber()
  const asked = `the node asks ${price} wei for a unit of gas`
  const words = `nothing was sent: ${asked}, and MAX_GAS_PRICE_WEI is ${price - 1}`
  expect(await deploy(args, limit(price - 1))).toEqual(refusing(words))
  expect(existsSync(file)).toBe(false)
  expect(await blockNumber()).toBe(before)
  expect(await deploy(args, limit(price))).toMatchObject({ code: 0 })
  const prices = new Set<number>()
  // One block may have both contracts, and the one after it nothing.
  for (let number = Number(before) + 1; number <= Number(await blockNumber()); number += 1) {
    const block = await anvil.ask('eth_getBlockByNumber', [numberToHex(number), true])
    const { transactions } = block as { transactions: { gasPrice: string }[] }
    for (const { gasPrice } of transactions) prices.add(Number(gasPrice))
  }
  expect(Math.max(...prices)).toBe(price)
})

test("the input for explorers' verification compiles to the deployed code", async () => {
  // It takes longer than the other one.
  const loan = isFull ? { loan: 'MicroLoan' } : {}
  for (const [source, name] of Object.entries({ forwarder: 'RelayForwarder', ...loan })) {
    const { output } = await deploy(['--source', source])
    const path = `contracts/src/${name}.sol`
    const input = JSON.parse(output)
    input.settings.outputSelection = { [path]: { [name]: ['evm.bytecode.object'] } }
    // The compiler of every build, which keeps what it has made of an input.
    const compiled = await runScript('scripts/contracts/solc.mjs', ['--standard-json'], {
      input: JSON.stringify(input),
    })
    const made = JSON.parse(compiled.output).contracts[path][name].evm
    expect(`0x${made.bytecode.object}`).toBe(readArtifact(name).bytecode.object)
  }
  expect(await deploy(['--source', 'pool'])).toEqual(refusing('--source is forwarder or loan'))
})

test('a public record is not written from a local chain', async () => {
  const file = join(root, 'deployments/30.json')
  const existed = existsSync(file)
  const refused = await deploy(onMainnet, { RELAYERS: relayer })
  expect(refused).toEqual(
    refusing(
      'is the record of a public network, and the node serves another chain with its id: name a file for that one, --record',
    ),
  )
  expect(existsSync(file)).toBe(existed)
})

test('--help lists its settings, and --json prints its result', async () => {
  const usage = /^Usage: npm run deploy:contracts -- --network/
  expect((await deploy(['--help'])).output).toMatch(usage)
  const wanted = { RELAYERS: relayer, DAILY_CAP: '0.4' }
  // What it tells on its way is no part of the result.
  const env = { NODE_URL: anvil.url, DEPLOYER_KEY: devKey, ...wanted }
  const printed: string[] = []
  await deployCommand([...recorded, '--json'], {
    env,
    input: async () => '',
    say: (line) => void printed.push(line),
    complain: () => {},
  })
  const { loan, forwarder } = deployed
  expect(JSON.parse(printed.join('\n'))).toMatchObject({
    ...{ chainId: 30, loan, forwarder, deployedBlock: expect.stringMatching(/^\d+$/) },
    differences: [expect.stringMatching(/^the daily cap in wei is 5\d+, not 4\d+$/)],
  })
})

test('missing and malformed settings are named before anything is sent', async () => {
  const before = await blockNumber()
  const short = devKey.slice(0, -1)
  const ofTestnet = getAddress('0x5fbdb2315678afecb367f032d93f642f64180aa3', 31)
  const cases: [string[], Record<string, string>, string][] = [
    [[], {}, '--network has to be testnet or mainnet'],
    [['--network', 'devnet'], {}, '--network has to be'],
    [onMainnet, { NODE_URL: '' }, 'NODE_URL is not set'],
    [onMainnet, { DEPLOYER_KEY: short }, 'DEPLOYER_KEY has to be a private key: 64 hex digits'],
    [onMainnet, { DEPLOYER_KEY: '' }, 'no key is named that pays'],
    [onMainnet, { RELAYERS: 'nobody' }, 'RELAYERS has nobody, which is no address'],
    [onMainnet, { RELAYERS: ofTestnet }, 'or one of another chain'],
    [onMainnet, { POOL: '1e3' }, 'POOL is not an amount'],
    [onMainnet, { FEE_BASIS_POINTS: '1001' }, 'FEE_BASIS_POINTS is at most 1000, not 1001'],
  ]
  for (const [args, environment, reason] of cases) {
    const refused = await deploy(args, { RELAYERS: relayer, ...environment })
    expect(refused).toEqual(refusing(reason))
    expect(refused.output).not.toContain(short)
  }
  expect(await blockNumber()).toBe(before)
})

test('an outside wallet withdraws what it was sent, as the README shows it with cast', async () => {
  const wallet = generatePrivateKey()
  const address = privateKeyToAddress(wallet)
  await anvil.ask('anvil_setBalance', [address, `0x${parseEther('1').toString(16)}`])
  const readme = readFileSync(join(root, 'contracts/README.md'), 'utf8')
  const [, section = ''] = /^## Withdrawing .*?\n(.*?)^## /ms.exec(readme) ?? []
  const commands = [...section.matchAll(/^cast (?:call|send) .*$/gm)].map(([command]) => command)
  const [balance, announce, announced, withdraw, deposit] = commands
  expect(commands).toHaveLength(5)
  const environment = { LOAN: deployed.loan, ETH_RPC_URL: anvil.url, WALLET: address }

  await shell(deposit, { ...environment, ...(await keystore(devKey)) })
  const there = /^10000000000000000\b/
  expect(await shell(balance, environment)).toMatch(there)
  const asWallet = { ...environment, ...(await keystore(wallet)) }
  await shell(announce, asWallet)
  expect(await shell(announced, environment)).toMatch(there)
  // Too early: cast says so, and nothing is paid.
  await shell(withdraw, asWallet)
  expect(await shell(balance, environment)).toMatch(there)
  await anvil.ask('evm_increaseTime', [48 * 60 * 60])
  await shell(withdraw, asWallet)
  const client = createPublicClient({ transport: http(anvil.url) })
  expect(await client.getBalance({ address })).toBeGreaterThan(parseEther('1.009'))
  expect(await shell(balance, environment)).toMatch(/^0\b/)
})

async function keystore(key: string): Promise<{ HOME: string; ETH_PASSWORD: string }> {
  const HOME = mkdtempSync(join(tmpdir(), 'keystore-'))
  const ETH_PASSWORD = join(HOME, 'password')
  writeFileSync(ETH_PASSWORD, 'a password')
  const words = `--private-key ${key} --unsafe-password 'a password'`
  await shell(`cast wallet import mine ${words}`, { HOME })
  return { HOME, ETH_PASSWORD }
}

/** Runs the command, in a process of its own where it is given a standard input. */
function deploy(args: string[], environment: Record<string, string> = {}, input?: string) {
  const env = { NODE_URL: anvil.url, DEPLOYER_KEY: devKey, ...environment }
  if (input === undefined) return runHere(deployCommand, args, { env })
  return runScript('scripts/contracts/deploy-cli.ts', args, { env, input })
}

async function shell(command = 'false', environment: Record<string, string> = {}) {
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const env = { ...process.env, ...environment, PATH }
  return (await run('sh', ['-c', command], { env })).stdout
}
