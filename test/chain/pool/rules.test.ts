import { keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { startAnvil } from '../../../scripts/dev/anvil.ts'
import { type PoolRefusal, poolRefusals } from '../../../scripts/dev/rootstock-pool/refusals.ts'
import { startRootstockPool } from '../../../scripts/dev/rootstock-pool/start.ts'
import { type RpcCall, rpcTo } from '../../../scripts/dev/rpc.ts'
import { RpcError } from '../../../src/chain/rpc.ts'
import { opened } from '../../support/opened.ts'
import { minPrice, newSender, type Sender } from './sender.ts'

let nowMs = 1_000_000
const anvil = opened(() => startAnvil())
const rootstock = opened(() => startRootstockPool({ anvilUrl: anvil.url, now: () => nowMs }))
const call: RpcCall = (method, params) => rpcTo(rootstock.url)(method, params)

beforeEach(() => rootstock.evictAll())

const send = (raw: string) => call('eth_sendRawTransaction', [raw])

/** The error object that a node answers with. */
async function refusal(answer: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await answer
  } catch (error) {
    if (error instanceof RpcError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('nothing was refused')
}

const rejected = (message: string) => ({ code: -32010, message })

const [cost, cap] = [21_000n * minPrice, 80n * minPrice]
const data = { data: '0x01' } as const

type Wanted = Parameters<Sender['sign']>[0]

test.for<[why: PoolRefusal, taken: Wanted[], refused: Wanted, balance?: bigint]>([
  ['nonce_too_high', [{ nonce: 15 }], { nonce: 16 }],
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
])('%s: what the pool takes, and what it refuses then', async (row) => {
  const [why, taken, refused, balance] = row
  const sender = await newSender(anvil.url, balance)
  for (const one of taken) await send(await sender.sign(one))
  const { code, message } = await refusal(send(await sender.sign(refused)))
  const words = new RegExp(`^${poolRefusals[why].rskj.replaceAll(/\{\w+\}/g, '\\d+')}$`)
  expect([code, message]).toEqual([-32010, expect.stringMatching(words)])
})

describe('nonces', () => {
  test('the slots move with the account and not with the pool', async () => {
    const sender = await newSender(anvil.url)
    for (let nonce = 0; nonce < 16; nonce++) await send(await sender.sign({ nonce }))
    const next = await sender.sign({ nonce: 16 })
    expect(await refusal(send(next))).toEqual(rejected('transaction nonce too high'))
    await rootstock.mine()
    expect(await send(next)).toBe(keccak256(next))
  })

  test('a nonce that the chain has passed is too low', async () => {
    const sender = await newSender(anvil.url)
    await send(await sender.sign({ nonce: 0 }))
    await rootstock.mine()
    expect(await refusal(send(await sender.sign({ nonce: 0, value: 1n })))).toEqual(
      rejected('transaction nonce too low'),
    )
  })

  test('a nonce behind a missing one waits in silence until the missing one comes', async () => {
    const sender = await newSender(anvil.url)
    const [first, second, third] = await Promise.all(
      [0, 1, 2].map((nonce) => sender.sign({ nonce })),
    )
    expect(await send(third ?? '0x')).toBe(keccak256(third ?? '0x'))
    await send(second ?? '0x')
    expect((await rootstock.mine())[0]?.transactions).toEqual([])
    expect(rootstock.pool.queued().map(({ nonce }) => nonce)).toEqual([1, 2])

    await send(first ?? '0x')
    expect(rootstock.pool.queued()).toEqual([])
    expect((await rootstock.mine())[0]?.transactions).toHaveLength(3)
  })

  test('a block alone does not take up what was queued', async () => {
    const sender = await newSender(anvil.url)
    await send(await sender.sign({ nonce: 1 }))
    const elsewhere = rpcTo(anvil.url)
    await elsewhere('eth_sendRawTransaction', [await sender.sign({ nonce: 0 })])
    await rootstock.mine()
    expect((await rootstock.mine())[0]?.transactions).toEqual([])
    expect(rootstock.pool.queued()).toHaveLength(1)
  })

  test('the pending count is one over the highest waiting nonce', async () => {
    const sender = await newSender(anvil.url)
    await send(await sender.sign({ nonce: 0 }))
    await send(await sender.sign({ nonce: 1 }))
    expect(await call('eth_getTransactionCount', [sender.address, 'pending'])).toBe('0x2')
    expect(await call('eth_getTransactionCount', [sender.address, 'latest'])).toBe('0x0')
  })
})

describe('the same nonce again', () => {
  test('other bytes have to pay 40 % more, rounded up', async () => {
    const sender = await newSender(anvil.url)
    const price = minPrice + 1n
    const least = (price * 140n + 99n) / 100n
    await send(await sender.sign({ nonce: 0, gasPrice: price }))
    expect(await refusal(send(await sender.sign({ nonce: 0, gasPrice: least - 1n })))).toEqual(
      rejected('gas price not enough to bump transaction'),
    )

    const dearer = await sender.sign({ nonce: 0, gasPrice: least })
    await send(dearer)
    expect((await rootstock.mine())[0]?.transactions).toEqual([keccak256(dearer)])
  })
})

describe('prices', () => {
  test('what waits is not mined below a minimum that has risen', async () => {
    const sender = await newSender(anvil.url)
    const raw = await sender.sign({ nonce: 0 })
    await send(raw)
    rootstock.setMinGasPrice(minPrice + 1n)
    try {
      expect((await rootstock.mine())[0]?.transactions).toEqual([])
    } finally {
      rootstock.setMinGasPrice(minPrice)
    }
    expect((await rootstock.mine())[0]?.transactions).toEqual([keccak256(raw)])
  })
})

describe('gas', () => {
  test('a block holds 6.8 million, and what does not fit waits for the next', async () => {
    const senders = await Promise.all([1, 2, 3].map(() => newSender(anvil.url)))
    // Creations that loop until their gas is gone.
    const burn = { nonce: 0, gas: 3_000_000n, to: undefined, data: '0x5b600056' } as const
    for (const sender of senders) await send(await sender.sign(burn))
    expect((await rootstock.mine())[0]?.transactions).toHaveLength(2)
    expect(rootstock.pool.pending()).toHaveLength(1)
    expect((await rootstock.mine())[0]?.transactions).toHaveLength(1)
  })

  test('an account over its quota is told so, until time has refilled it', async () => {
    const quota = { newAccountGas: 30_000n, maxGas: 60_000n, gasPerSecond: 1_000n }
    const other = await startAnvil()
    const own = await startRootstockPool({
      anvilUrl: other.url,
      rules: { quota },
      now: () => nowMs,
    })
    try {
      const call = rpcTo(own.url)
      const sender = await newSender(other.url)
      await call('eth_sendRawTransaction', [await sender.sign({ nonce: 0 })])
      const second = await sender.sign({ nonce: 1 })
      expect(await refusal(call('eth_sendRawTransaction', [second]))).toEqual(
        rejected('account exceeds quota'),
      )
      nowMs += 12_000
      expect(await call('eth_sendRawTransaction', [second])).toBe(keccak256(second))
    } finally {
      await own.stop()
      await other.stop()
    }
  })
})

describe('what is no transaction for Rootstock', () => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const to = '0x00000000000000000000000000000000000000aa'

  test('types 1 and 2, and no bytes of a list, are refused before the pool sees them', async () => {
    const common = { chainId: 31, nonce: 0, gas: 21_000n, to } as const
    const typed = [
      await account.signTransaction({ ...common, type: 'eip2930', gasPrice: minPrice }),
      await account.signTransaction({ ...common, type: 'eip1559', maxFeePerGas: minPrice }),
    ]
    for (const raw of [...typed, '0xf800', '0x']) {
      expect((await refusal(send(raw))).code).toBe(-32603)
    }
    expect(rootstock.pool.pending()).toEqual([])
  })

  test('another chain is refused, and so is what is no hex', async () => {
    const common = { type: 'legacy', nonce: 0, gas: 21_000n, gasPrice: minPrice, to } as const
    const foreign = await account.signTransaction({ ...common, chainId: 30 })
    for (const raw of [foreign, '0xf8x']) expect((await refusal(send(raw))).code).toBe(-32602)
  })

  test('128 KB are taken and a byte more is refused', async () => {
    const sender = await newSender(anvil.url)
    const data = (bytes: number) => `0x${'00'.repeat(bytes)}` as const
    const overhead =
      ((await sender.sign({ nonce: 0, gas: 6_000_000n, data: data(70_000) })).length - 2) / 2 -
      70_000
    const fits = 128 * 1024 - overhead
    const tooLarge = await sender.sign({ nonce: 0, gas: 6_000_000n, data: data(fits + 1) })
    expect((await refusal(send(tooLarge))).message).toBe(
      "transaction's size is higher than defined maximum: 131073 > 131072",
    )
    await send(await sender.sign({ nonce: 0, gas: 6_000_000n, data: data(fits) }))
  })
})

describe('leaving the pool', () => {
  test('after ten blocks a transaction still waits, after eleven it is gone', async () => {
    const sender = await newSender(anvil.url)
    const raw = await sender.sign({ nonce: 1 })
    await send(raw)
    await rootstock.mine(10)
    expect((await refusal(send(raw))).message).toMatch(/already exists/)
    await rootstock.mine(2)
    expect(rootstock.pool.queued()).toEqual([])
    expect(await send(raw)).toBe(keccak256(raw))
  })

  test('after 650 seconds it is gone', async () => {
    const sender = await newSender(anvil.url)
    const raw = await sender.sign({ nonce: 1 })
    await send(raw)
    nowMs += 649_000
    expect((await refusal(send(raw))).message).toMatch(/already exists/)
    nowMs += 1_000
    expect(await send(raw)).toBe(keccak256(raw))
  })

  test('a waiting transaction is shown without a block, then in its block', async () => {
    const sender = await newSender(anvil.url)
    const raw = await sender.sign({ nonce: 0, value: parseEther('0.1') })
    const hash = await send(raw)
    const waiting = await call('eth_getTransactionByHash', [hash])
    expect(waiting).toMatchObject({ hash, blockNumber: null, value: '0x16345785d8a0000' })
    const [block] = await rootstock.mine()
    const mined = await call('eth_getTransactionByHash', [hash])
    expect(mined).toMatchObject({ hash, blockHash: block?.hash })
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  })
})
