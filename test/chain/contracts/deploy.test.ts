import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeDeployData,
  erc20Abi,
  getAddress,
  getContractAddress,
  type Hex,
  http,
  type PublicClient,
  pad,
  parseEther,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type DeployOptions, deployContracts } from '../../../scripts/contracts/deploy.ts'
import { buildContracts, readArtifact } from '../../../scripts/contracts/forge.ts'
import { forwarderAt, loanAt } from '../../../scripts/contracts/reads.ts'
import { devKey, startAnvil } from '../../../scripts/dev/anvil.ts'
import { callAsOwner, type OwnersCall } from '../../../scripts/dev/relays/callers.ts'
import { serveJsonRpc } from '../../../scripts/dev/rootstock-pool/server.ts'
import {
  type RootstockPool,
  type RootstockPoolOptions,
  startRootstockPool,
} from '../../../scripts/dev/rootstock-pool/start.ts'
import { waitForReceipt } from '../../../scripts/dev/wait.ts'
import { describe } from '../../../scripts/stack/report.ts'
import { relayForwarderAbi } from '../../../src/relay/forwarder/abi.ts'
import { opened } from '../../support/opened.ts'
import { openGate, startPlainNode } from './gate.ts'

const deployer = privateKeyToAddress(devKey)
const relayers = [1, 2, 3].map(() => privateKeyToAddress(generatePrivateKey()))

const anvil = opened(() => startAnvil())
let client: PublicClient
let recordFile: string
/** The chain with both contracts on it, as each test finds it. */
let snapshot: Hex

beforeAll(async () => {
  // A block number that viem keeps for four seconds is one from before a test's own transactions.
  client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 })
  recordFile = newRecordFile()
  await deployContracts(options())
  snapshot = await chain().snapshot()
  writeFileSync(`${recordFile}.kept`, readFileSync(recordFile))
})

beforeEach(async () => {
  await chain().revert({ id: snapshot })
  snapshot = await chain().snapshot()
  writeFileSync(recordFile, readFileSync(`${recordFile}.kept`))
})

test('a fresh chain 30 gets both contracts, its relayers, its target and its pool', async () => {
  const mainnet = await startAnvil({ chainId: 30 })
  onTestFinished(mainnet.stop)
  const lines: string[] = []
  const deployment = await deployContracts({
    ...options(),
    ...{ nodeUrl: mainnet.url, chainId: 30, recordFile: newRecordFile() },
    ...{ principalWei: parseEther('0.02'), dailyCapWei: parseEther('3') },
    log: (line) => lines.push(line),
  })
  const there = createPublicClient({ transport: http(mainnet.url) })
  const { loan, forwarder } = contractsOf(deployment, there)
  expect(await there.getBalance({ address: deployment.loan })).toBe(parseEther('5'))
  expect(await loan.liquidity()).toBe(parseEther('5'))
  expect(await loan.terms()).toMatchObject({
    ...{ principal: parseEther('0.02'), dailyCap: parseEther('3') },
    ...{ listOnly: false, loansPerDay: 0 },
  })
  expect([await loan.owner(), await forwarder.owner()]).toEqual([deployer, deployer])
  for (const relayer of relayers) expect(await forwarder.isRelayer([relayer])).toBe(true)
  expect(lines).toContain(`MicroLoan      ${getAddress(deployment.loan, 30)}`)
  expect(lines).toContain(`RelayForwarder ${getAddress(deployment.forwarder, 30)}`)
  expect(getAddress(deployment.loan, 30)).not.toBe(getAddress(deployment.loan, 31))
  const logs = await there.getLogs({ fromBlock: 0n })
  expect(logs.length).toBeGreaterThan(0)
  expect(logs.every((log) => log.blockNumber >= deployment.deployedBlock)).toBe(true)
})

test('a second run repeats no permission, fills no drained pool, and names differences', async () => {
  const [stolen] = relayers
  const added = privateKeyToAddress(generatePrivateKey())
  await asOwner('defund', { args: [parseEther('5')] })
  await asOwner('setRelayer', { of: 'forwarder', args: [stolen, false] })
  const before = await client.getBlockNumber()
  const lines: string[] = []
  const { differences } = await deployContracts({
    ...{ ...options(), relayers: [...relayers, added], guardian: added },
    ...{ principalWei: parseEther('0.5'), feeRate: 100, log: (line) => lines.push(line) },
  })
  expect(await client.getBlockNumber()).toBe(before)
  expect(differences).toEqual([
    `the relayer ${stolen} is not allowed`,
    `the relayer ${added} is not allowed`,
    `the principal in wei is ${parseEther('0.01')}, not ${parseEther('0.5')}`,
    'the fee in basis points is 0, not 100',
    `the loan contract's guardian is ${zeroAddress}, not ${added}`,
    `the forwarder's guardian is ${zeroAddress}, not ${added}`,
  ])
  expect(lines.slice(-6)).toEqual(differences.map((difference) => `differs: ${difference}`))
  expect(await contractsOf(record()).loan.liquidity()).toBe(0n)
})

test('constructors set the final owners, roles and terms, and the deployer keeps no role', async () => {
  const [forwarderOwner, loanOwner, guardian, creditor] = [1, 2, 3, 4].map(() =>
    privateKeyToAddress(generatePrivateKey()),
  ) as [Address, Address, Address, Address]
  const roles = { forwarderOwner, loanOwner, guardian, creditor, predecessor: record().loan }
  const terms = { loansPerDay: 2, pauseBetweenSeconds: 600, termSeconds: 86_400, feeRate: 250 }
  const limits = { isListOnly: true, withdrawalLimitWei: 7n, dailyCapWei: parseEther('2') }
  const wanted = { ...options(), ...roles, ...terms, ...limits, recordFile: newRecordFile() }
  const deployment = await deployContracts(wanted)
  // What is found otherwise than asked for, the test before this one shows.
  expect(deployment.differences).toEqual([])
  const { loan, forwarder } = contractsOf(deployment)
  expect([await forwarder.owner(), await loan.owner()]).toEqual([forwarderOwner, loanOwner])
  expect(await loan.liquidity()).toBe(parseEther('5'))
})

test("a pool over a token has its terms in it, and is filled with the payer's tokens", async () => {
  await buildContracts(['contracts/test/gas'])
  const { abi, bytecode } = readArtifact('Token', 'Compared')
  const token = contractAt(await client.getTransactionCount({ address: deployer }))
  const data = encodeDeployData({ abi, bytecode: bytecode.object, args: [deployer] })
  const hash = await wallet().sendTransaction({ data, chain: null })
  await waitForReceipt(client, hash)
  const wanted = { token, poolWei: 5_000_000n, principalWei: 2_000_000n, dailyCapWei: 9_000_000n }
  const other = { ...options(), ...wanted, recordFile: newRecordFile() }
  const deployment = await deployContracts(other)
  expect(deployment.differences).toEqual([])
  const { loan } = contractsOf(deployment)
  expect(await loan.token()).toBe(getAddress(token))
  expect(await loan.liquidity()).toBe(5_000_000n)
  expect(await loan.withdrawalLimit()).toBe(10n ** 12n)
  const held = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
  expect(await client.readContract({ ...held, args: [deployment.loan] })).toBe(parseEther('5'))
  const second = { ...other, token: zeroAddress, principalWei: 1n }
  expect((await deployContracts(second)).differences).toEqual([
    'the principal in millionths of the token is 2000000, not 1',
    `the token is ${getAddress(token)}, not ${zeroAddress}`,
  ])
})

test('a run that was killed between the two contracts is continued, or leaves a forwarder that can never get a target', async () => {
  for (const isTaken of [false, true]) {
    await startOver()
    const nonce = await client.getTransactionCount({ address: deployer })
    const [forwarder, loan] = [0, 1].map((offset) => contractAt(nonce + offset))
    await deployForwarder(loan)
    // Another transaction takes the nonce of the loan contract.
    if (isTaken) await wallet().sendTransaction({ to: deployer, value: 1n, chain: null })
    writeRecord({ ...record(), forwarder, loan, state: 'sending' })
    const anew = { forwarder: contractAt(nonce + 2), loan: contractAt(nonce + 3) }
    const deployment = await deployContracts(options())
    expect(deployment).toMatchObject(isTaken ? anew : { forwarder, loan })
    expect(deployment.differences).toEqual([])
    expect(record().state).toBe('deployed')
  }
})

test('a run that was killed before it funded the pool is continued', async () => {
  await asOwner('defund', { args: [parseEther('5')] })
  writeRecord({ ...record(), state: 'sending' })
  await deployContracts(options())
  expect(await contractsOf(record()).loan.liquidity()).toBe(parseEther('5'))
  expect(record().state).toBe('deployed')
})

test.for([
  ['a run that was killed before it sent anything is started again', { state: 'sending' }],
  ['a local chain that was started over is deployed to again', { genesisHash: pad('0x5') }],
] as const)('%s', async ([, changes]) => {
  await startOver()
  writeRecord({ ...record(), forwarder: contractAt(90), loan: contractAt(91), ...changes })
  const { loan, forwarder } = await deployContracts(options())
  expect(forwarder).not.toBe(contractAt(90))
  expect(await client.getCode({ address: loan })).toBeDefined()
})

test('code that differs from the build is refused and named', async () => {
  for (const [name, address] of [
    ['MicroLoan', record().loan],
    ['RelayForwarder', record().forwarder],
  ] as const) {
    const code = (await client.getCode({ address })) ?? '0x'
    // A byte near the start belongs to code and to no immutable.
    const changed: Hex = `0x${code.slice(2, 20)}${code.slice(20, 22) === '00' ? '01' : '00'}${code.slice(22)}`
    const words = `${name} at ${address} differs from this build`
    for (const bytecode of [changed, '0x00', `${code}00`] as const) {
      await chain().setCode({ address, bytecode })
      await expect(deployContracts(options())).rejects.toThrow(words)
    }
    await chain().setCode({ address, bytecode: code })
  }
})

test('a pair is refused if one contract refers to another partner', async () => {
  const { contractAddress } = await deployForwarder()
  writeRecord({ ...record(), forwarder: contractAddress.toLowerCase() })
  const refused = (contract: string) =>
    expect(deployContracts(options())).rejects.toThrow(new RegExp(`^${contract} at .+ differs`))
  await refused('MicroLoan')

  const first = readRecord(`${recordFile}.kept`)
  const other = await deployContracts({ ...options(), recordFile: newRecordFile() })
  // That pair's loan contract trusts its forwarder, which is made to call the first one.
  const code = (await client.getCode({ address: other.forwarder })) ?? '0x'
  const bytecode = code.replaceAll(other.loan.slice(2), first.loan.slice(2)) as Hex
  await chain().setCode({ address: other.forwarder, bytecode })
  expect((await contractsOf(other).forwarder.target()).toLowerCase()).toBe(first.loan)
  writeRecord({ ...first, forwarder: other.forwarder, loan: other.loan })
  await refused('RelayForwarder')
})

test('a record is refused on any other chain, and on a node that is behind', async () => {
  const wrong = deployContracts({ ...options(), chainId: 30 })
  await expect(wrong).rejects.toThrow('serves chain 31, not 30: name another one')
  const file = join(dirname(newRecordFile()), 'deployments', '31.json')
  const before = await client.getBlockNumber()
  const local = deployContracts({ ...options(), recordFile: file })
  await expect(local).rejects.toThrow('is the record of a public network')
  expect(await client.getBlockNumber()).toBe(before)

  const url = await startPlainNode(anvil.url)
  const kept = readFileSync(recordFile, 'utf8')
  await startOver()
  const behind = deployContracts({ ...options(), nodeUrl: url })
  await expect(behind).rejects.toThrow('the chain has no code at')
  expect(readFileSync(recordFile, 'utf8')).toBe(kept)
  writeRecord({ ...record(), genesisHash: pad('0x5') })
  const another = deployContracts({ ...options(), nodeUrl: url })
  await expect(another).rejects.toThrow('is the record of a public network')
})

test("under Rootstock's pool rules each transaction is sent when the one before is in a block", async () => {
  const rootstock = await startPool({ blockMs: 300 })
  const there = createPublicClient({ transport: http(rootstock.url) })
  const waiting: number[] = []
  let sent = 0
  const watched = await openGate(rootstock.url, async (method, _, ask) => {
    if (method === 'eth_sendRawTransaction') {
      sent += 1
      waiting.push(sent - 1 - (await there.getTransactionCount({ address: deployer })))
    }
    return ask()
  })
  const own = { nodeUrl: watched, recordFile: newRecordFile() }
  const deployment = await deployContracts({ ...options(), ...own })
  expect(waiting).toEqual(Array(3).fill(0))
  // Nobody can start this chain over, so it lends as a public one does.
  const { dailyCap } = await contractsOf(deployment, there).loan.terms()
  expect(dailyCap).toBe(parseEther('1'))
})

test("the command waits for a node's quota for a new key, and reports it once", async () => {
  const quota = { newAccountGas: 10_000n, maxGas: 8_000_000n, gasPerSecond: 4_000_000n }
  const rootstock = await startPool({ blockMs: 100, rules: { quota } })
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const own = { nodeUrl: rootstock.url, recordFile: newRecordFile(), log }
  const { loan, differences } = await deployContracts({ ...options(), ...own })
  expect(differences).toEqual([])
  const there = createPublicClient({ transport: http(rootstock.url) })
  expect(await there.getBalance({ address: loan })).toBe(parseEther('5'))
  const told = lines.filter((line) => line.includes('account exceeds quota'))
  expect(told).toEqual([expect.stringMatching(/^waiting: the node takes little gas at a time/)])
})

test('a node that shows no code at a fresh deployment is not trusted', async () => {
  const blind = await openGate(anvil.url, async (method, _, ask) =>
    method === 'eth_getCode' ? '0x' : ask(),
  )
  const file = newRecordFile()
  const unseen = deployContracts({ ...options(), nodeUrl: blind, recordFile: file })
  await expect(unseen).rejects.toThrow('the chain has no code at')
  expect(readRecord(file).state).toBe('sending')
})

test('a deployer with an open transaction is refused', async () => {
  await startOver()
  await chain().setAutomine(false)
  try {
    await wallet().sendTransaction({ to: deployer, value: 1n, chain: null })
    await expect(deployContracts(options())).rejects.toThrow('wait for them')
  } finally {
    await chain().mine({ blocks: 1 })
    await chain().setAutomine(true)
  }
})

test.for([
  { of: 'a node that leaves at once', leavesAt: 'eth_gasPrice', isRecorded: false },
  { of: 'a node that leaves later', leavesAt: 'eth_sendRawTransaction', isRecorded: true },
  { of: 'a deployer without money', leavesAt: undefined, isRecorded: false },
])("messages of $of never show the key or the node's address", async ({ leavesAt, isRecorded }) => {
  const node = await serveJsonRpc(async (method, params) => {
    if (method === leavesAt) await node.stop()
    return anvil.ask(method, params)
  })
  onTestFinished(() => node.stop())
  const nodeUrl = `${node.url}/rpc/a-key-of-the-node`
  const file = newRecordFile()
  const poor = generatePrivateKey()
  const wanted = { nodeUrl, ...(leavesAt === undefined && { deployerKey: poor }) }
  const deploying = deployContracts({ ...options(), ...wanted, recordFile: file })
  const error = `${await deploying.then(() => undefined, describe)}`
  expect(error).toMatch(/^(HttpRequestError: |Insufficient funds: )/)
  const secrets = [poor.slice(2), devKey.slice(2), 'a-key-of-the-node', node.url]
  expect(secrets.filter((secret) => error.includes(secret))).toEqual([])
  // What is to be sent is recorded before.
  expect(existsSync(file) && readRecord(file).state).toBe(isRecorded && 'sending')
})

async function startPool(how: Omit<RootstockPoolOptions, 'anvilUrl'>): Promise<RootstockPool> {
  const fresh = await startAnvil()
  const rootstock = await startRootstockPool({ anvilUrl: fresh.url, ...how })
  onTestFinished(async () => {
    await rootstock.stop()
    await fresh.stop()
  })
  return rootstock
}

const contractsOf = (pair: { loan: Address; forwarder: Address }, on: PublicClient = client) => ({
  loan: loanAt(on, pair.loan),
  forwarder: forwarderAt(on, pair.forwarder),
})

const options = (): DeployOptions => ({
  ...{ nodeUrl: anvil.url, chainId: 31, deployerKey: devKey, relayers, recordFile },
  ...{ poolWei: parseEther('5'), log: () => {} },
})

const newRecordFile = () => join(mkdtempSync(join(tmpdir(), 'record-')), 'contracts.json')

type RecordFile = { loan: Address; forwarder: Address; state: string }

const readRecord = (file: string): RecordFile => JSON.parse(readFileSync(file, 'utf8'))
const record = () => readRecord(recordFile)

function writeRecord(content: object): void {
  mkdirSync(dirname(recordFile), { recursive: true })
  writeFileSync(recordFile, JSON.stringify(content))
}

async function startOver(): Promise<void> {
  const { loan, forwarder } = record()
  for (const address of [loan, forwarder]) await chain().setCode({ address, bytecode: '0x' })
}

const contractAt = (nonce: number) =>
  getContractAddress({ from: deployer, nonce: BigInt(nonce) }).toLowerCase() as Address

async function deployForwarder(target?: Address): Promise<{ contractAddress: Address }> {
  await buildContracts()
  const hash = await wallet().deployContract({
    abi: relayForwarderAbi,
    bytecode: readArtifact('RelayForwarder').bytecode.object,
    args: [deployer, zeroAddress, relayers, target ?? deployer],
    chain: null,
  })
  const { contractAddress } = await waitForReceipt(client, hash)
  if (!contractAddress) throw new Error('the forwarder was not deployed')
  return { contractAddress }
}

async function asOwner(functionName: string, call: OwnersCall): Promise<void> {
  const hash = await callAsOwner({ anvil, ...record() }, functionName, call)
  await waitForReceipt(client, hash)
}

const wallet = () =>
  createWalletClient({ account: privateKeyToAccount(devKey), transport: http(anvil.url) })

const chain = () => createTestClient({ mode: 'anvil', transport: http(anvil.url) })
