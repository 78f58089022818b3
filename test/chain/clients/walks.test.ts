import { ethers } from 'ethers'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { test as always, beforeAll, describe, type ExpectStatic, expect } from 'vitest'
import { Web3, type WebSocketProvider } from 'web3'
import { until } from '../../../scripts/dev/wait.ts'
import { opened } from '../../support/opened.ts'
import { drawHalf } from '../../support/sample.ts'
import { startRealWorker } from '../node/support/real-worker.ts'
import { counterAbi as abi, createCounterProject } from './counter-project.ts'
import { followCast, runFoundry } from './foundry.ts'
import { startWalkedChain, walkTimeoutMs } from './walked-chain.ts'

const test = drawHalf(always)

const pollingInterval = 50
// ethers asks for a nonce again after 250 ms by default: several blocks here.
const cacheTimeout = -1

/** Are a block number and a hash that no chain has. */
const never = 999_999_999n
const nowhere: Hex = `0x${'99'.repeat(32)}`

const chain = opened(startWalkedChain)
const worker = opened(() => startRealWorker([chain.nodeUrl]))
const project = opened(createCounterProject)
const closings: (() => unknown)[] = []
let keys: Hex[]

beforeAll(async () => {
  keys = await chain.accounts(12)
  return async () => {
    for (const close of closings) await close()
  }
}, 2 * walkTimeoutMs)

function nextKey(): Hex {
  const key = keys.pop()
  if (key === undefined) throw new Error('more walks than accounts')
  return key
}

describe.each(['HTTP', 'WebSocket'] as const)('over %s', { timeout: walkTimeoutMs }, (kind) => {
  const url = (): string => (kind === 'HTTP' ? worker.rpcUrl : worker.wsUrl)

  test('viem connects, deploys, waits, reads, sends and watches', async () => {
    const transport = kind === 'HTTP' ? http(url()) : webSocket(url())
    const options = { chain: rootstockTestnet, transport, pollingInterval }
    const reader = createPublicClient(options)
    const wallet = createWalletClient({ ...options, account: privateKeyToAccount(nextKey()) })
    expect(await reader.getChainId()).toBe(31)

    const deployed = await wallet.deployContract({ abi, bytecode: project.bytecode, args: [40n] })
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployed })
    const counter = { abi, address: contractAddress as Address } as const
    expect(await reader.readContract({ ...counter, functionName: 'count' })).toBe(40n)
    const nothing = { ...counter, functionName: 'add', args: [0n] } as const
    await expect(reader.simulateContract(nothing)).rejects.toThrow('Error: NothingToAdd(')
    await expect(wallet.writeContract(nothing)).rejects.toThrow('Error: NothingToAdd(')

    const counts: bigint[] = []
    const blocks: bigint[] = []
    const errors: Error[] = []
    const onError = (error: Error) => errors.push(error)
    const watches = [
      reader.watchContractEvent({
        ...{ ...counter, eventName: 'Counted', onError },
        onLogs: (logs) => counts.push(...logs.map(({ args }) => args.count ?? -1n)),
      }),
      reader.watchBlocks({ onBlock: ({ number }) => blocks.push(number), onError }),
    ]
    let count = 40n
    try {
      await repeat(counts, async () => {
        const hash = await wallet.writeContract({ ...counter, functionName: 'add', args: [1n] })
        expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success')
        count += 1n
      })
      await until(() => counts.includes(count) && blocks.length > 1)
    } finally {
      for (const stop of watches) stop()
    }
    expect(await reader.readContract({ ...counter, functionName: 'count' })).toBe(count)
    expect(errors).toEqual([])
    const { blockHash } = await reader.getTransactionReceipt({ hash: deployed })
    const { transactions } = await reader.getBlock({ blockHash, includeTransactions: true })
    expect(transactions.map(({ hash }) => hash)).toContain(deployed)
    await expect(reader.getBlock({ blockNumber: never })).rejects.toThrow('could not be found')
    await expect(reader.getTransactionReceipt({ hash: nowhere })).rejects.toThrow('be found')
  })

  test('ethers connects, deploys, waits, reads, sends and watches', async () => {
    const provider =
      kind === 'HTTP'
        ? new ethers.JsonRpcProvider(url(), undefined, { pollingInterval, cacheTimeout })
        : new ethers.WebSocketProvider(url(), undefined, { cacheTimeout })
    // Not at once: ethers rejects what it still asks for on its own, where nothing catches it.
    closings.push(() => provider.destroy())
    await walkEthers(provider, expect)
  })

  test('ethers with its defaults asks 100 questions of a moment, and gets each answer', async () => {
    const provider =
      kind === 'HTTP' ? new ethers.JsonRpcProvider(url()) : new ethers.WebSocketProvider(url())
    closings.push(() => provider.destroy())
    await provider.getNetwork()
    const { address } = ethers.Wallet.createRandom()
    const slots = Array.from({ length: 100 }, (_, slot) => provider.getStorage(address, slot))
    expect(new Set(await Promise.all(slots))).toEqual(new Set([`0x${'0'.repeat(64)}`]))
  })

  test('web3.js connects, deploys, waits, reads, sends and watches', async () => {
    const web3 = new Web3(url())
    if (kind === 'WebSocket') closings.push(() => endWeb3(web3))
    await walkWeb3(web3, kind, expect)
  })

  test('cast connects, deploys, waits, reads, sends and watches', async () => {
    const environment = { ETH_RPC_URL: url() }
    const cast = (...args: string[]) => runFoundry('cast', args, { environment })
    const paying = ['--json', '--legacy', '--private-key', nextKey()]
    expect(await cast('chain-id')).toBe('31')

    const creation = ['--create', project.bytecode, 'constructor(uint256)', '40']
    const { contractAddress, status } = JSON.parse(await cast('send', ...paying, ...creation))
    expect(status).toBe('0x1')
    expect(await cast('call', contractAddress, 'count()(uint256)')).toBe('40')
    const missing = '-32601: the method eth_nothing does not exist/is not available'
    await expect(cast('rpc', 'eth_nothing')).rejects.toThrow(missing)
    const nothing = cast('call', contractAddress, 'add(uint256)', '0')
    await expect(nothing).rejects.toThrow(/execution reverted.*"0x[0-9a-f]{72}"/)

    const event = ['--address', contractAddress, 'Counted(address indexed,uint256)']
    const add = async () => {
      const sent = await cast('send', ...paying, contractAddress, 'add(uint256)', '1')
      return JSON.parse(sent).transactionHash
    }
    // cast can follow logs over WebSocket only: over HTTP it finds them.
    if (kind === 'HTTP') {
      const hash = await add()
      expect(JSON.parse(await cast('receipt', '--json', hash))).toMatchObject({ status: '0x1' })
      const logs = JSON.parse(await cast('logs', '--json', '--from-block', 'earliest', ...event))
      expect(logs).toMatchObject([{ transactionHash: hash }])
    } else {
      const following = followCast(['logs', '--subscribe', ...event], environment)
      try {
        const hashes: string[] = []
        while (!hashes.some((hash) => following.output().includes(hash))) hashes.push(await add())
      } finally {
        await following.stop()
      }
    }
  })

  test('a Foundry project is deployed by forge script', async () => {
    const flags = ['--broadcast', '--legacy', '--non-interactive', '--rpc-url', url()]
    await project.forge(['script', 'script/Deploy.s.sol', ...flags], { PRIVATE_KEY: nextKey() })
    const { transactions, receipts } = project.broadcast()
    expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1'])
    expect(receipts.map((receipt) => receipt.transactionHash).toSorted()).toEqual(
      transactions.map(({ hash }) => hash).toSorted(),
    )
    expect(await countAt(transactions[0]?.contractAddress)).toBe(42n)
  })

  test('a contract is deployed by forge create', async () => {
    const flags = ['--broadcast', '--legacy', '--json', '--rpc-url', url()]
    const from = ['--private-key', nextKey()]
    const contract = ['src/Counter.sol:Counter', '--constructor-args', '41']
    const printed = await project.forge(['create', ...flags, ...from, ...contract])
    expect(await countAt(JSON.parse(printed).deployedTo)).toBe(41n)
  })
})

async function walkEthers(
  provider: ethers.JsonRpcApiProvider | ethers.WebSocketProvider,
  expect: ExpectStatic,
) {
  const wallet = new ethers.Wallet(nextKey(), provider)
  expect((await provider.getNetwork()).chainId).toBe(31n)

  const factory = new ethers.ContractFactory(abi, project.bytecode, wallet)
  const counter = (await factory.deploy(40n)) as ethers.Contract
  await counter.waitForDeployment()
  expect(await counter.getFunction('count').staticCall()).toBe(40n)
  const refused = { code: 'CALL_EXCEPTION', revert: { name: 'NothingToAdd', args: [40n] } }
  await expect(counter.getFunction('add').staticCall(0n)).rejects.toMatchObject(refused)
  // In an estimate ethers leaves the decoding to its caller.
  await expect(counter.getFunction('add').send(0n)).rejects.toMatchObject({
    code: 'CALL_EXCEPTION',
    data: counter.interface.encodeErrorResult('NothingToAdd', [40n]),
  })

  const counts: bigint[] = []
  const blocks: number[] = []
  await counter.on('Counted', (_, counted: bigint) => counts.push(counted))
  await provider.on('block', (number: number) => blocks.push(number))
  let count = 40n
  await repeat(counts, async () => {
    const sent = await counter.getFunction('add').send(1n)
    expect((await sent.wait())?.status).toBe(1)
    count += 1n
  })
  await until(() => counts.includes(count) && blocks.length > 1)
  await counter.removeAllListeners()
  await provider.removeAllListeners()
  expect(await counter.getFunction('count').staticCall()).toBe(count)
  expect(await provider.getBlock(never)).toBeNull()
  const tooMuch = { from: wallet.address, to: wallet.address, value: ethers.parseEther('1000') }
  await expect(provider.estimateGas(tooMuch)).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
}

/** web3.js must be told that the chain has no base fee (findings/web3-without-base-fee.sh). */
const beforeLondon = { defaultHardfork: 'berlin', defaultTransactionType: '0x0' }

async function walkWeb3(web3: Web3, kind: 'HTTP' | 'WebSocket', expect: ExpectStatic) {
  web3.setConfig({
    ...beforeLondon,
    transactionPollingInterval: pollingInterval,
    transactionReceiptPollingInterval: pollingInterval,
    transactionConfirmationPollingInterval: pollingInterval,
    // On a busy machine blocks of 50 ms pass by while it asks.
    transactionBlockTimeout: 100_000,
  })
  const { address: from } = web3.eth.accounts.wallet.add(nextKey())[0] ?? { address: '' }
  expect(await web3.eth.getChainId()).toBe(31n)

  const factory = new web3.eth.Contract(abi)
  const counter = await factory.deploy({ data: project.bytecode, arguments: [40] }).send({ from })
  expect(await counter.methods.count?.().call()).toBe(40n)
  const refused = { cause: { errorName: 'NothingToAdd', errorArgs: { count: 40n } } }
  await expect(counter.methods.add(0).call({ from })).rejects.toMatchObject(refused)

  const blocks: bigint[] = []
  const counts: unknown[] = []
  let count = 40n
  const add = async () => {
    const sent = counter.methods.add(1).send({ from })
    sent.on('confirmation', ({ confirmations }) => {
      blocks.push(confirmations)
    })
    expect((await sent).status).toBe(1n)
    count += 1n
  }
  // web3.js subscribes over WebSocket only: over HTTP it asks for blocks and finds logs.
  if (kind === 'HTTP') {
    await add()
    const found = await counter.getPastEvents('Counted', { fromBlock: 'earliest' })
    expect(found).toMatchObject([{ returnValues: { count } }])
  } else {
    counter.events.Counted().on('data', ({ returnValues }) => {
      counts.push(returnValues.count)
    })
    await repeat(counts, add)
    await until(() => counts.includes(count))
  }
  await until(() => blocks.length > 1)
  expect(await counter.methods.count?.().call()).toBe(count)
  expect(await web3.eth.getBlock(never)).toBeNull()
}

/** Ends what it watches before the connection (findings/web3-last-confirmation.sh). */
async function endWeb3(web3: Web3): Promise<void> {
  await web3.eth.clearSubscriptions()
  await (web3.provider as WebSocketProvider).safeDisconnect(undefined, undefined, false, 50)
}

async function countAt(address: string | null | undefined): Promise<bigint> {
  const reader = createPublicClient({ transport: http(worker.rpcUrl) })
  return await reader.readContract({ abi, address: address as Address, functionName: 'count' })
}

/** Does something until the watcher, who may need a moment to begin, has seen it. */
async function repeat(seen: readonly unknown[], act: () => Promise<unknown>): Promise<void> {
  while (seen.length === 0) await act()
}
