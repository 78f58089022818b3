import { ethers } from 'ethers'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
  parseEther,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { beforeAll, describe, expect, test } from 'vitest'
import { Web3 } from 'web3'
import { until } from '../../../scripts/dev/wait.ts'
import { runFoundry } from '../clients/foundry.ts'
import { emit, mined, topic } from './support/anvil-rpc.ts'
import { type OpenWorker, openWorker } from './support/open.ts'

// anvil's development accounts, known to everybody; each client sends from its own.
const privateKeys: Hex[] = [
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
]
const receiver: Address = '0x00000000000000000000000000000000000000aa'
const words = (...values: bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  )

let on: OpenWorker

beforeAll(async () => {
  on = await openWorker()
  return on.stop
})

describe.each(['http', 'webSocket'] as const)('viem over %s', (kind) => {
  const account = privateKeyToAccount(privateKeys[0] ?? '0x')
  let client: PublicClient

  beforeAll(() => {
    client = createPublicClient({
      chain: rootstockTestnet,
      transport: transport(),
      pollingInterval: 50,
    })
  })

  function transport() {
    return kind === 'http' ? http(on.worker.rpcUrl, { batch: true }) : webSocket(on.worker.wsUrl)
  }

  test('reads, sends, waits and finds what it sent', async () => {
    const wallet = createWalletClient({ account, chain: rootstockTestnet, transport: transport() })
    const before = await client.getBalance({ address: receiver })
    const hash = await wallet.sendTransaction({ to: receiver, value: parseEther('0.5') })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect((await client.getBalance({ address: receiver })) - before).toBe(parseEther('0.5'))
    const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: true })
    expect(block.transactions.map((one) => one.hash)).toEqual([hash])
    expect((await client.getTransaction({ hash })).from).toBe(account.address.toLowerCase())
    expect(await client.getTransactionConfirmations({ hash })).toBe(1n)
    expect(await client.getTransactionCount({ address: account.address })).toBeGreaterThan(0)
    expect(await client.getGasPrice()).toBeGreaterThan(0n)
    expect(await client.getCode({ address: receiver })).toBeUndefined()
    expect(await client.call({ to: receiver })).toEqual({ data: undefined })
    const at = { blockHash: receipt.blockHash }
    expect(await client.getTransactionCount({ address: account.address, ...at })).toBeGreaterThan(0)
  })

  test('finds logs by filter', async () => {
    const abi = parseAbi([
      'event Word(uint256 indexed first, uint256 indexed second, uint256 word)',
    ])
    const hash = await emit(on.direct, on.emitter, 4n, 5n, 6n)
    const { blockNumber } = await mined(on.direct, hash)
    const logs = await client.getLogs({ address: on.emitter, fromBlock: BigInt(blockNumber) })
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([hash])
    expect(await client.getLogs({ events: abi, fromBlock: 0n })).toEqual([])
  })

  test('tells a revert from other errors', async () => {
    await expect(client.call({ to: on.emitter })).rejects.toThrow(/revert/)
    await expect(
      client.estimateGas({ account: receiver, to: account.address, value: parseEther('1000') }),
    ).rejects.toThrow(/exceeds the balance|insufficient funds/i)
    await expect(client.getBlock({ blockNumber: 999_999n })).rejects.toThrow('could not be found')
    await expect(client.getTransactionReceipt({ hash: `0x${'99'.repeat(32)}` })).rejects.toThrow(
      'could not be found',
    )
  })
})

describe('ethers', () => {
  test('reads, sends, waits, subscribes and finds logs', async () => {
    const provider = new ethers.JsonRpcProvider(on.worker.rpcUrl)
    const socket = new ethers.WebSocketProvider(on.worker.wsUrl)
    try {
      expect((await provider.getNetwork()).chainId).toBe(31n)
      const blocks: number[] = []
      const logs: ethers.Log[] = []
      const pending: string[] = []
      await socket.on('block', (number: number) => blocks.push(number))
      await socket.on({ address: on.emitter }, (log: ethers.Log) => logs.push(log))
      await socket.on('pending', (hash: string) => pending.push(hash))
      await watching(blocks, () => on.direct('evm_mine'))
      await watching(logs, () => emit(on.direct, on.emitter, 0n, 0n, 0n))
      await watching(pending, () => emit(on.direct, on.emitter, 0n, 0n, 0n))

      const wallet = new ethers.Wallet(privateKeys[1] ?? '', provider)
      const response = await wallet.sendTransaction({ to: on.emitter, data: words(7n, 8n, 9n) })
      const receipt = await response.wait()
      expect(receipt?.status).toBe(1)
      await until(() => logs.at(-1)?.transactionHash === response.hash)
      await until(() => pending.includes(response.hash))
      expect(logs.at(-1)?.removed).toBe(false)
      const found = await provider.getLogs({
        address: on.emitter,
        topics: [topic(7n)],
        fromBlock: receipt?.blockNumber ?? 0,
      })
      expect(found.map(({ transactionHash }) => transactionHash)).toEqual([response.hash])
      expect(
        (await provider.getBlock(receipt?.blockHash ?? '', true))?.prefetchedTransactions,
      ).toHaveLength(1)
      expect(await provider.getBalance(wallet.address, receipt?.blockHash)).toBeGreaterThan(0n)
      await expect(provider.call({ to: on.emitter })).rejects.toMatchObject({
        code: 'CALL_EXCEPTION',
      })
      await expect(
        provider.estimateGas({ from: receiver, to: wallet.address, value: parseEther('1000') }),
      ).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
      expect(await provider.getBlock(999_999)).toBeNull()
    } finally {
      provider.destroy()
      await socket.destroy()
    }
  })
})

describe('web3.js', () => {
  test('reads, sends, waits, subscribes and finds logs', async () => {
    const web3 = new Web3(on.worker.rpcUrl)
    const socket = new Web3(on.worker.wsUrl)
    try {
      expect(await web3.eth.getChainId()).toBe(31n)
      const heads = await socket.eth.subscribe('newBlockHeaders')
      const logs = await socket.eth.subscribe('logs', { address: on.emitter })
      const pending = await socket.eth.subscribe('pendingTransactions')
      const seen: unknown[] = []
      heads.on('data', ({ number }) => {
        seen.push(number)
      })
      logs.on('data', (log) => {
        seen.push((log as { transactionHash: string }).transactionHash)
      })
      pending.on('data', (hash) => {
        seen.push(hash)
      })

      const account = web3.eth.accounts.privateKeyToAccount(privateKeys[2] ?? '')
      web3.eth.accounts.wallet.add(account)
      const receipt = await web3.eth.sendTransaction({
        from: account.address,
        to: on.emitter,
        data: words(10n, 11n, 12n),
        gas: 100_000n,
      })
      expect(receipt.status).toBe(1n)
      const { transactionHash: hash, blockNumber } = receipt
      await until(
        () => seen.includes(blockNumber) && seen.filter((one) => one === hash).length === 2,
      )
      const found = await web3.eth.getPastLogs({
        address: on.emitter,
        topics: [topic(10n)],
        fromBlock: blockNumber,
      })
      expect(found).toMatchObject([{ transactionHash: hash }])
      expect((await web3.eth.getTransaction(hash)).from).toBe(account.address.toLowerCase())
      expect(await web3.eth.getBlock(`${receipt.blockHash}`)).toMatchObject({
        transactions: [hash],
      })
      await expect(web3.eth.call({ to: on.emitter })).rejects.toThrow(
        'execute a function inside a smart contract',
      )
      expect(await web3.eth.getBlock(999_999)).toBeNull()
    } finally {
      socket.provider?.disconnect()
    }
  })
})

describe('cast', () => {
  async function cast(...args: string[]): Promise<string> {
    return await runFoundry('cast', args, { environment: { ETH_RPC_URL: on.worker.rpcUrl } })
  }

  test('shows blocks, transactions, receipts and logs', async () => {
    const hash = await emit(on.direct, on.emitter, 21n, 22n, 23n)
    const { blockHash, blockNumber } = await mined(on.direct, hash)
    expect(await cast('chain-id')).toBe('31')
    expect(Number(await cast('block-number'))).toBe(Number(blockNumber))
    expect(JSON.parse(await cast('block', '--json'))).toMatchObject({ hash: blockHash })
    expect(JSON.parse(await cast('block', blockHash, '--json', '--full'))).toMatchObject({
      transactions: [{ hash }],
    })
    expect(JSON.parse(await cast('tx', hash, '--json'))).toMatchObject({ hash, blockHash })
    expect(JSON.parse(await cast('receipt', hash, '--json'))).toMatchObject({ status: '0x1' })
    const logs = await cast(
      'logs',
      '--json',
      '--address',
      on.emitter,
      '--from-block',
      blockNumber,
      topic(21n),
    )
    expect(JSON.parse(logs)).toMatchObject([{ transactionHash: hash, data: topic(23n) }])
    expect(await cast('rpc', 'eth_getBlockTransactionCountByHash', blockHash)).toBe('"0x1"')
    expect(JSON.parse(await cast('rpc', 'chain_getRawBlockHeaderByHash', blockHash))).toMatch(
      /^0xf9/,
    )
    expect(await cast('code', on.emitter)).toMatch(/^0x3615/)
    expect(await cast('storage', on.emitter, '0')).toBe(topic(0n))
    expect(await cast('balance', receiver)).toMatch(/^\d+$/)
    expect(await cast('gas-price')).toMatch(/^\d+$/)
    expect(await cast('nonce', receiver)).toBe('0')
    await expect(cast('rpc', 'eth_nothing')).rejects.toThrow(
      '-32601: the method eth_nothing does not exist/is not available',
    )
  })
})

/** Makes something happen until the watcher, which may need a moment to begin, has seen it. */
async function watching(seen: readonly unknown[], act: () => Promise<unknown>): Promise<void> {
  const hasSeen = async () => {
    await act()
    return seen.length > 0
  }
  await until(hasSeen, { everyMs: 50 })
}
