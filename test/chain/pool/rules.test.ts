import { keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { type PoolRefusal, poolRefusals } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import { startRootstockPool } from '../../../scripts/dev/rootstock-pool/start.ts'
import { createRpcCall, type RpcCall } from '../../../scripts/dev/rpc.ts'
import { opened } from '../../support/opened.ts'
import { minPrice, newSender, type Sender } from './sender.ts'

let nowMs = 1_000_000
const quota = { newAccountGas: 90_000_000n, maxGas: 60_000_000n, gasPerSecond: 1_000n }
const anvil = opened(() => startAnvil())
const rootstock = opened(() =>
  startRootstockPool({ anvilUrl: anvil.url, now: () => nowMs, rules: { quota } }),
)
const call: RpcCall = (method, params) => createRpcCall(rootstock.url)(method, params)

beforeEach(() => rootstock.evictAll())

const send = (raw: string) => call('eth_sendRawTransaction', [raw])

/** Makes a block and gives the hashes in it. */
const mined = async () => (await rootstock.mine())[0]?.transactions

async function expectRefusal(raw: string, why: PoolRefusal): Promise<void> {
  const words = poolRefusals[why].rskj.replaceAll(/\{\w+\}/g, '\\d+')
  const error = { code: -32010, message: expect.stringMatching(new RegExp(`^${words}$`)) }
  await expect(send(raw)).rejects.toMatchObject(error)
}

const [cost, cap] = [21_000n * minPrice, 80n * minPrice]
const data = { data: '0x01' } as const
/** A signed transaction with so many bytes of data has 128 KB, and one over it. */
const createLarge = (more: number) =>
  ({ gas: 6_000_000n, data: `0x${'00'.repeat(130_965 + more)}` }) as const

type Wanted = Parameters<Sender['sign']>[0]

test.for<[why: PoolRefusal, taken: (Wanted | 'block')[], refused: Wanted, balance?: bigint]>([
  ['nonce_too_high', [{ nonce: 15 }], { nonce: 16 }],
  // The slots move with the account and not with the pool.
  ['nonce_too_high', [{ nonce: 0 }, 'block', { nonce: 16 }], { nonce: 17 }],
  ['nonce_used', [{ nonce: 0 }, 'block'], { nonce: 0, value: 1n }],
  ['known', [{ nonce: 0 }], { nonce: 0 }],
  ['known_queued', [{ nonce: 2 }], { nonce: 2 }],
  ['price_too_low', [{ nonce: 0 }], { nonce: 1, gasPrice: minPrice - 1n }],
  ['price_too_high', [{ nonce: 0, gasPrice: cap }], { nonce: 1, gasPrice: cap + 1n }],
  ['poor', [], { nonce: 0 }, cost - 1n],
  ['poor_for_all', [{ nonce: 0 }, { nonce: 1 }], { nonce: 2 }, 2n * cost],
  // What is replaced counts no more.
  ['poor_for_all', [{ nonce: 0 }, { nonce: 0, gasPrice: 2n * minPrice }], { nonce: 1 }, 2n * cost],
  ['over_block', [{ nonce: 0, gas: 6_800_000n }], { nonce: 1, gas: 6_800_001n }],
  ['basic_cost', [{ nonce: 0, ...data, gas: 21_016n }], { nonce: 1, ...data, gas: 21_015n }],
  ['too_large', [{ nonce: 0, ...createLarge(0) }], { nonce: 1, ...createLarge(1) }],
])('%s: the pool accepts some transactions, and refuses the next', async (row) => {
  const [why, taken, refused, balance] = row
  const sender = await newSender(anvil.url, balance)
  for (const one of taken) {
    if (one === 'block') await rootstock.mine()
    else await send(await sender.sign(one))
  }
  await expectRefusal(await sender.sign(refused), why)
})

test('a nonce behind a missing one waits in silence until the missing one comes', async () => {
  const sender = await newSender(anvil.url)
  const [first, second, third] = await Promise.all(
    ([0, 1, 2] as const).map((nonce) => sender.sign({ nonce })),
  )
  expect(await send(`${third}`)).toBe(keccak256(third ?? '0x'))
  await send(`${second}`)
  expect(await mined()).toEqual([])
  expect(rootstock.pool.queued().map(({ nonce }) => nonce)).toEqual([1, 2])

  await send(`${first}`)
  expect(rootstock.pool.queued()).toEqual([])
  expect(await mined()).toHaveLength(3)
})

test('a block alone does not move queued transactions into the pool', async () => {
  const sender = await newSender(anvil.url)
  await send(await sender.sign({ nonce: 1 }))
  await anvil.ask('eth_sendRawTransaction', [await sender.sign({ nonce: 0 })])
  await rootstock.mine()
  expect(await mined()).toEqual([])
  expect(rootstock.pool.queued()).toHaveLength(1)
})

test('the pending count is one over the highest waiting nonce', async () => {
  const sender = await newSender(anvil.url)
  for (const nonce of [0, 1]) await send(await sender.sign({ nonce }))
  expect(await call('eth_getTransactionCount', [sender.address, 'pending'])).toBe('0x2')
  expect(await call('eth_getTransactionCount', [sender.address, 'latest'])).toBe('0x0')
})

test('other bytes have to pay 40 % more, rounded up', async () => {
  const sender = await newSender(anvil.url)
  const price = minPrice + 1n
  const least = (price * 140n + 99n) / 100n
  await send(await sender.sign({ nonce: 0, gasPrice: price }))
  await expectRefusal(await sender.sign({ nonce: 0, gasPrice: least - 1n }), 'underbid')
  const dearer = await sender.sign({ nonce: 0, gasPrice: least })
  await send(dearer)
  expect(await mined()).toEqual([keccak256(dearer)])
})

test('a waiting transaction is not mined below a raised minimum', async () => {
  const raw = await (await newSender(anvil.url)).sign({ nonce: 0 })
  await send(raw)
  rootstock.setMinGasPrice(minPrice + 1n)
  try {
    expect(await mined()).toEqual([])
  } finally {
    rootstock.setMinGasPrice(minPrice)
  }
  expect(await mined()).toEqual([keccak256(raw)])
})

test('a block holds 6.8 million, and what does not fit waits for the next', async () => {
  // Creations that loop until their gas is gone.
  const burn = { nonce: 0, gas: 3_000_000n, to: undefined, data: '0x5b600056' } as const
  for (let count = 0; count < 3; count++) {
    await send(await (await newSender(anvil.url)).sign(burn))
  }
  expect(await mined()).toHaveLength(2)
  expect(rootstock.pool.pending()).toHaveLength(1)
  expect(await mined()).toHaveLength(1)
})

test('an account over its quota is refused until time has refilled it', async () => {
  const sender = await newSender(anvil.url)
  for (let nonce = 0; nonce < 9; nonce++) await send(await sender.sign({ nonce, gas: 6_600_000n }))
  const next = await sender.sign({ nonce: 9, gas: 6_600_000n })
  await expectRefusal(next, 'quota')
  nowMs += 6_000_000
  await rootstock.evictAll()
  expect(await send(next)).toBe(keccak256(next))
})

test.for<[what: string, code: number, typed: object | string]>([
  ['of type 1', -32603, { type: 'eip2930', gasPrice: minPrice }],
  ['of type 2', -32603, { type: 'eip1559', maxFeePerGas: minPrice }],
  ['that is no signed list', -32603, '0xf800'],
  ['without bytes', -32603, '0x'],
  ['of another chain', -32602, { type: 'legacy', gasPrice: minPrice, chainId: 30 }],
  ['that is no hex', -32602, '0xf8x'],
])('a transaction %s is refused before the pool checks it', async ([, code, typed]) => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const to = '0x00000000000000000000000000000000000000aa'
  const common = { chainId: 31, nonce: 0, gas: 21_000n, to } as const
  const raw =
    typeof typed === 'string' ? typed : await account.signTransaction({ ...common, ...typed })
  await expect(send(raw)).rejects.toMatchObject({ code })
  expect(rootstock.pool.pending()).toEqual([])
})

test.for<[what: string, stays: () => unknown, goes: () => unknown]>([
  ['eleven blocks', () => rootstock.mine(10), () => rootstock.mine(2)],
  ['650 seconds', () => (nowMs += 649_000), () => (nowMs += 1_000)],
])('a transaction is dropped after %s, and not earlier', async ([, stays, goes]) => {
  const raw = await (await newSender(anvil.url)).sign({ nonce: 1 })
  await send(raw)
  await stays()
  await expectRefusal(raw, 'known_queued')
  await goes()
  expect(await send(raw)).toBe(keccak256(raw))
})

test('a waiting transaction is shown without a block, then in its block', async () => {
  const sender = await newSender(anvil.url)
  const raw = await sender.sign({ nonce: 0, value: parseEther('0.1') })
  const hash = await send(raw)
  const waiting = await call('eth_getTransactionByHash', [hash])
  expect(waiting).toMatchObject({ hash, blockNumber: null, value: '0x16345785d8a0000' })
  const [block] = await rootstock.mine()
  const found = await call('eth_getTransactionByHash', [hash])
  expect(found).toMatchObject({ hash, blockHash: block?.hash })
  expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
})
