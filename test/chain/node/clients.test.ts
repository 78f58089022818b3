import { ethers } from 'ethers'
import {
  type Address,
  createPublicClient,
  createWalletClient,
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
import { opened } from '../../support/opened.ts'
import { runFoundry } from '../clients/foundry.ts'
import { emit, mined, sender, topic } from './support/anvil-rpc.ts'
import { openWorker } from './support/open.ts'

// One of anvil's development accounts, known to everybody.
const privateKey: Hex = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const receiver: Address = '0x00000000000000000000000000000000000000aa'
const on = opened(() => openWorker())

describe.each(['http', 'webSocket'] as const)('viem over %s', (kind) => {
  const account = privateKeyToAccount(privateKey)
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

/** Emits one log, and gives where it is. */
async function emitted(first: bigint) {
  const hash = await emit(on.direct, on.emitter, first, 0n, 0n)
  return { hash, ...(await mined(on.direct, hash)) }
}

test('ethers finds logs and blocks, and tells a revert and what is missing', async () => {
  const provider = new ethers.JsonRpcProvider(on.worker.rpcUrl)
  try {
    const { hash, blockHash, blockNumber } = await emitted(7n)
    const filter = { address: on.emitter, topics: [topic(7n)], fromBlock: Number(blockNumber) }
    const found = await provider.getLogs(filter)
    expect(found.map(({ transactionHash }) => transactionHash)).toEqual([hash])
    expect((await provider.getBlock(blockHash, true))?.prefetchedTransactions).toHaveLength(1)
    expect(await provider.getBalance(sender, blockHash)).toBeGreaterThan(0n)
    const failure = (code: string) => expect.objectContaining({ code })
    await expect(provider.call({ to: on.emitter })).rejects.toEqual(failure('CALL_EXCEPTION'))
    const tooMuch = { from: receiver, to: sender, value: parseEther('1000') }
    await expect(provider.estimateGas(tooMuch)).rejects.toEqual(failure('INSUFFICIENT_FUNDS'))
    expect(await provider.getBlock(999_999)).toBeNull()
  } finally {
    provider.destroy()
  }
})

test('web3.js finds logs and blocks, and tells a revert and what is missing', async () => {
  const { eth } = new Web3(on.worker.rpcUrl)
  const { hash, blockHash, blockNumber } = await emitted(10n)
  const filter = { address: on.emitter, topics: [topic(10n)], fromBlock: blockNumber }
  expect(await eth.getPastLogs(filter)).toMatchObject([{ transactionHash: hash }])
  expect(Number((await eth.getTransaction(hash)).blockNumber)).toBe(Number(blockNumber))
  expect(await eth.getBlock(blockHash)).toMatchObject({ transactions: [hash] })
  await expect(eth.call({ to: on.emitter })).rejects.toThrow('function inside a smart contract')
  expect(await eth.getBlock(999_999)).toBeNull()
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
