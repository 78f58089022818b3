import { type Hex, parseEther, parseGwei } from 'viem'
import { test as always, describe, expect } from 'vitest'
import { callAsOwner, type OwnersCall } from '../../../scripts/dev/relays/callers.ts'
import { readClaim } from '../../../scripts/dev/relays/oracle.ts'
import { stranger } from '../../../scripts/dev/relays/rig.ts'
import { createRpcCall, type RpcCall } from '../../../scripts/dev/rpc.ts'
import { until } from '../../../scripts/dev/wait.ts'
import { maxOpenPayments } from '../../../src/relay/ledger/sessions.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { blockMs, minPrice, openRig, pay } from '../../support/faults/open-rig.ts'
import { drawHalf } from '../../support/sample.ts'

const rig = openRig()
const test = drawHalf(always)
const anvil: RpcCall = (method, params) => rig.chain.anvil.ask(method, params)

/** Sends a transaction of the relayer's key that the relay does not know. */
async function sendForeign(gasPrice: bigint): Promise<Hex> {
  const relayer = deriveRelayerAccount(rig.chain.bindings.RELAYER_MNEMONIC ?? '', 31, 0)
  const nonce = Number(await anvil('eth_getTransactionCount', [relayer.address, 'latest']))
  return relayer.signTransaction({
    type: 'legacy',
    chainId: 31,
    nonce,
    to: stranger,
    value: 1n,
    gas: 21_000n,
    gasPrice,
  })
}

/** Makes the owner's call the first in the next block. */
const asOwner = (functionName: string, call: OwnersCall = {}) =>
  callAsOwner(rig.chain, functionName, { gasPrice: parseGwei('100'), ...call })

describe('a pool that forgets', () => {
  test('one transaction: the same bytes go out again', async () => {
    rig.holdBlocks()
    await rig.payInTurn(1)
    const [transaction] = await rig.sent(1)
    expect(await rig.rootstock.drop(transaction?.hash ?? '0x')).toBe(true)
    await expect.poll(() => rig.waiting().map(({ hash }) => hash)).toEqual([transaction?.hash])
  })

  test('one of several, so that the others wait behind a gap', async () => {
    rig.holdBlocks()
    await rig.payInTurn(5)
    const [, second] = await rig.sent(5)
    await rig.rootstock.drop(second?.hash ?? '0x')
  })

  test('everything, twice', async () => {
    rig.holdBlocks()
    await rig.payInTurn(8)
    await rig.sent(8)
    for (let time = 0; time < 2; time++) {
      expect(await rig.rootstock.evictAll()).toHaveLength(8)
      await expect.poll(() => rig.waiting().length).toBe(8)
    }
  })

  test('a transaction that is too cheap for the blocks is outbid and not forgotten', async () => {
    rig.holdBlocks()
    await rig.payInTurn(3)
    await rig.sent(3)
    rig.rootstock.setMinGasPrice(minPrice * 2n)
    rig.rootstock.setBlockTime(blockMs)
    await rig.settle()
    expect(rig.logged('nonce.replaced').length).toBeGreaterThan(0)
  })

  test('a payment above the highest price raises an alert, and is made when prices fall', async () => {
    rig.holdBlocks()
    await rig.payInTurn(1)
    await rig.sent(1)
    const before = rig.logged('nonce.stuck').length
    // Above what the relay may pay, so that no replacement helps.
    rig.rootstock.setMinGasPrice(parseGwei('2'))
    rig.rootstock.setBlockTime(blockMs)
    await expect.poll(() => rig.logged('nonce.stuck').length).toBeGreaterThan(before)
  })
})

describe('a chain that reorganizes', () => {
  async function payAndMine(): Promise<void> {
    rig.holdBlocks()
    const seen = rig.logged('payment.mined').length
    await rig.payInTurn(3)
    await rig.sent(3)
    await rig.rootstock.mine()
    await until(() => rig.logged('payment.mined').length >= seen + 3)
  }

  test.for([
    { depth: 1, transactions: 'dropped' },
    { depth: 2, transactions: 'returned' },
    { depth: 3, transactions: 'dropped', blocks: 3 },
    { depth: 3, transactions: 'dropped', blocks: 8 },
  ] as const)('a reorganization of $depth blocks, $transactions', async (change) => {
    await payAndMine()
    await rig.rootstock.mine(change.depth - 1)
    await rig.rootstock.reorg(change)
    expect((await rig.judge()).lost).toBe(3)
  })

  test('a reorganization of confirmed payments that are still watched', async () => {
    const confirmed = rig.logged('payment.confirmed').length
    await payAndMine()
    await rig.rootstock.mine(4)
    await expect.poll(() => rig.logged('payment.confirmed').length).toBe(confirmed + 3)
    await rig.rootstock.reorg({ depth: 5, transactions: 'dropped' })
    rig.rootstock.setBlockTime(blockMs)
    await expect.poll(async () => (await rig.judge()).lost, { interval: 100 }).toBe(0)
  })

  test('is watched block by block and not payment by payment', async () => {
    const payments = 12
    const mined = rig.logged('payment.mined').length
    const confirmed = rig.logged('payment.confirmed').length
    rig.holdBlocks()
    await rig.payInTurn(payments)
    await rig.sent(payments)
    await rig.rootstock.mine()
    await until(() => rig.logged('payment.mined').length === mined + payments)
    // The requests' own Workers end with this: from here on the alarm is alone.
    await rig.relay.restart('kept')

    const before = asked()
    await until(() => asked().rounds >= before.rounds + 5)
    await rig.rootstock.mine()
    await until(() => rig.logged('payment.confirmed').length === confirmed + payments)
    const since = asked()
    expect(since.payments).toBe(before.payments)
    expect(since.counts - before.counts).toBeLessThan(payments)
  })

  /** Returns the node's calls so far; each round reads the head once. */
  function asked() {
    const { seen } = rig.faults
    return {
      rounds: seen('eth_getBlockByNumber'),
      counts: seen('eth_getTransactionCount'),
      payments: seen('eth_getTransactionReceipt') + seen('eth_getLogs'),
    }
  }

  test('a chain that comes back shorter', async () => {
    await payAndMine()
    await rig.rootstock.mine(2)
    await rig.rootstock.reorg({ depth: 3, blocks: 0, transactions: 'dropped' })
    // No block for longer than any replica would lag.
    await expect.poll(() => rig.waiting().length).toBe(3)
  })

  test('two reorganizations, one after the other', async () => {
    await payAndMine()
    await rig.rootstock.reorg({ depth: 1, transactions: 'returned' })
    await rig.rootstock.mine()
    await rig.rootstock.reorg({ depth: 2, transactions: 'dropped' })
  })

  test('if the branches have different outcomes, the final one is reported', async () => {
    const caller = rig.nextCaller()
    rig.holdBlocks()
    const mined = rig.logged('payment.mined').length
    const loan = { phone: caller.phone, sessionId: 'a loan', text: '3' }
    expect(readClaim(await rig.deliver(loan))).toBe('submitted')
    await rig.sent(1)
    await rig.rootstock.mine()
    await expect.poll(() => rig.logged('payment.mined').length).toBe(mined + 1)
    const failed = rig.logged('payment.reverted').length

    await rig.rootstock.reorg({ depth: 1, transactions: 'dropped' })
    await asOwner('pause')
    await rig.rootstock.mine()
    rig.rootstock.setBlockTime(blockMs)
    await expect.poll(() => rig.logged('payment.reverted').length).toBe(failed + 1)
    expect(rig.logged('payment.reverted').at(-1)?.message).toBe('Loan failed on-chain: Paused')
    await rig.settled()
    await asOwner('unpause')
    await rig.rootstock.mine()
  })
})

describe('another program with the same key', () => {
  test('whose transaction waits on the next nonce is not outbid', async () => {
    rig.holdBlocks()
    const raw = await sendForeign(minPrice)
    const hash = await createRpcCall(rig.rootstock.url)('eth_sendRawTransaction', [raw])
    await rig.payInTurn(2)
    await rig.sent(3)
    expect(rig.rootstock.pool.pending().map((one) => one.hash)).toContain(hash)
    await rig.settled()
    expect(await anvil('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  })

  test('whose transaction takes a nonce that a payment already had', async () => {
    rig.holdBlocks()
    const raw = await sendForeign(minPrice * 10n)
    await rig.payInTurn(2)
    await rig.sent(2)
    // It reached a miner that never saw ours.
    await rig.rootstock.evictAll()
    const hash = await anvil('eth_sendRawTransaction', [raw])
    await rig.rootstock.mine()
    expect(await anvil('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  })
})

describe('a forwarder that refuses the relayer for a while', () => {
  always('reverts a transaction as a whole, whose payment is made by another', async () => {
    rig.holdBlocks()
    await rig.payInTurn(1)
    const [first] = await rig.sent(1)
    await asOwner('setRelayer', { of: 'forwarder', args: [rig.chain.relayer, false] })
    await rig.rootstock.mine()
    const receipt = await anvil('eth_getTransactionReceipt', [first?.hash])
    expect(receipt).toMatchObject({ status: '0x0' })
    await asOwner('setRelayer', { of: 'forwarder', args: [rig.chain.relayer, true] })
    await rig.settled()
    expect(await anvil('eth_getTransactionCount', [first?.from, 'latest'])).toBe(
      `0x${((first?.nonce ?? 0) + 2).toString(16)}`,
    )
  })
})

describe('a relayer without money', () => {
  always(
    'takes no payment more, and carries those that it took as soon as it has some again',
    async () => {
      const { relayer } = rig.chain
      rig.holdBlocks()
      const replies = await rig.payInTurn(3)
      await rig.sent(3)
      expect(replies.map(readClaim)).toEqual(['submitted', 'submitted', 'submitted'])
      await anvil('anvil_setBalance', [relayer, '0x0'])
      await rig.rootstock.evictAll()
      const outOfMoney = () =>
        rig.logged('broadcast.refused').filter(({ refusal }) => refusal === 'insufficient_funds')
      await expect.poll(() => outOfMoney().length).toBeGreaterThan(2)
      // What the key has is kept for some seconds. Where an earlier test used the key elsewhere, a
      // refusal does not say that nothing was sent.
      const isTaken = async () => readClaim(await rig.deliver(rig.newPayment())) === 'submitted'
      await until(async () => !(await isTaken()), { everyMs: 1_000 })
      expect(rig.logged('payments.refused').at(-1)).toMatchObject({ reason: 'relayer_poor' })
      await anvil('anvil_setBalance', [relayer, `0x${parseEther('1').toString(16)}`])
      await until(isTaken, { everyMs: 1_000 })
    },
  )
})

describe('more payments than the pool has slots', () => {
  test('are all made, a few of them later', async () => {
    rig.holdBlocks()
    const replies = await rig.payInTurn(20)
    expect(replies.map(readClaim)).toEqual(Array.from({ length: 20 }, () => 'submitted'))
    expect(replies.filter(({ text }) => text.includes('Tx: queued')).length).toBe(5)
    await rig.sent(15)
    await rig.settled()
    expect(
      rig.logged('broadcast.refused').filter(({ refusal }) => refusal === 'nonce_too_high'),
    ).toEqual([])
  })
  test('by one caller wait if too many are open to check against', async () => {
    rig.holdBlocks()
    const { phone } = rig.nextCaller()
    const amounts = Array.from({ length: maxOpenPayments + 1 }, (_, index) => `0.0${100 + index}`)
    const claims: string[] = []
    for (const amount of amounts) claims.push(readClaim(await rig.deliver(pay(phone, amount))))
    // Where an earlier test used the key elsewhere, it is not said that nothing was sent.
    expect(claims).toEqual([
      ...Array.from({ length: maxOpenPayments }, () => 'submitted'),
      expect.stringMatching(/^(refused|uncertain)$/),
    ])
  })
})
