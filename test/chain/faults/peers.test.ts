import { numberToHex } from 'viem'
import { test as always, describe, expect } from 'vitest'
import type { Change } from '../../../scripts/dev/faults/fault-proxy.ts'
import { readClaim } from '../../../scripts/dev/relays/oracle.ts'
import { decodeRequests } from '../../../src/relay/forwarder/requests.ts'
import { blockMs, openRig } from '../../support/faults/open-rig.ts'
import { drawHalf } from '../../support/sample.ts'

const rig = openRig({ workers: 2, callers: 160 })
const test = drawHalf(always)
const methods = ['eth_sendRawTransaction']

const payAndClaim = async (delivery = rig.newPayment()) => readClaim(await rig.deliver(delivery))

describe('failures of other relayers', () => {
  test('1: a connection error does not mean "not sent"', async () => {
    rig.holdBlocks()
    rig.faults.script({ fault: { kind: 'drop_reply' }, methods, times: 1 })
    expect([await payAndClaim(), await payAndClaim()]).toEqual(['submitted', 'submitted'])
    const nonces = (await rig.sent(2)).map(({ nonce }) => nonce)
    expect(nonces[1]).toBe((nonces[0] ?? 0) + 1)
  })

  /** Makes the node return a too high count once, to an empty ledger. */
  async function miscount(by: number) {
    await rig.relay.restart('lost')
    const method = 'eth_getTransactionCount'
    const change: Change = (answer, request) =>
      request.method === method
        ? { ...answer, result: numberToHex(Number(answer.result) + by) }
        : answer
    return rig.faults.script({ fault: { kind: 'changed', change }, methods: [method], times: 1 })
  }

  test('2: a counter that ran far ahead of the chain comes back', async () => {
    const scripted = await miscount(40)
    expect(await payAndClaim()).toBe('submitted')
    expect(scripted.hits()).toBe(1)
    await rig.settled()
    expect(rig.logged('nonce.ahead')).toHaveLength(1)
  })

  test('2: a counter a little ahead leaves no gap', async () => {
    await miscount(5)
    expect((await rig.payMany(3)).map(readClaim)).toEqual(['submitted', 'submitted', 'submitted'])
  })

  test.for(['returned', 'dropped'] as const)('3: a payment is made again (%s)', async (fate) => {
    const delivery = rig.newPayment()
    rig.holdBlocks()
    const reply = await rig.deliver(delivery)
    const minedBefore = rig.logged('payment.mined').length
    await rig.sent(1)
    const [block] = await rig.rootstock.mine()
    expect(block?.transactions).toHaveLength(1)
    await expect.poll(() => rig.logged('payment.mined').length).toBe(minedBefore + 1)

    await rig.rootstock.reorg({ depth: 1, transactions: fate })
    await rig.settled()
    expect(await rig.deliver(delivery)).toEqual(reply)
  })

  test('4: a nonce is not given away whose bytes were sent and whose Worker died', async () => {
    const first = rig.newPayment()
    rig.holdBlocks()
    rig.faults.script({ fault: { kind: 'delay_reply', ms: 60_000 }, methods, times: 1 })
    rig.note(first)
    const dying = rig.relay.deliver(first).catch(() => undefined)
    await rig.sent(1)
    await rig.relay.restart('kept')
    await dying

    expect(await payAndClaim()).toBe('submitted')
    expect(new Set((await rig.sent(2)).map(({ nonce }) => nonce)).size).toBe(2)
    rig.rootstock.setBlockTime(blockMs)
    expect(await payAndClaim(first)).toBe('submitted')
  })

  test("4: nor one whose bytes reached the pool after the sender's time limit", async () => {
    rig.faults.script({ fault: { kind: 'delay_request', ms: 2_500 }, methods, times: 1 })
    expect([await payAndClaim(), await payAndClaim()]).toEqual(['submitted', 'submitted'])
  })

  test('5: a node that is slow for one payment holds up no other', async () => {
    // On a busy machine the others may take as long now and then; held up, they do so every time.
    let isHeldUp = true
    while (isHeldUp) {
      let isSlowAnswered = false
      const fault = { kind: 'delay_reply', ms: 1_500 } as const
      const scripted = rig.faults.script({ fault, methods: ['eth_call'], times: 1 })
      const slowClaim = payAndClaim().finally(() => {
        isSlowAnswered = true
      })
      await expect.poll(scripted.hits).toBe(1)
      const claims = (await rig.payMany(8)).map(readClaim)
      isHeldUp = isSlowAnswered || claims.some((one) => one !== 'submitted')
      expect(await slowClaim).toBe('submitted')
    }
  })

  test('6: bytes that the pool has already count as sent', async () => {
    rig.holdBlocks()
    const sentBefore = rig.faults.seen('eth_sendRawTransaction')
    expect(await payAndClaim()).toBe('submitted')
    const refusedBefore = rig.logged('broadcast.refused').length
    const [transaction] = await rig.sent(1)
    // The same bytes go out again before the pool would drop them.
    await expect
      .poll(() => rig.faults.seen('eth_sendRawTransaction'))
      .toBeGreaterThan(sentBefore + 1)
    expect(rig.waiting()).toEqual([transaction])
    expect(rig.logged('broadcast.refused')).toHaveLength(refusedBefore)
    expect((await rig.rootstock.mine())[0]?.transactions).toEqual([transaction?.hash])
  })

  test('7: a payment that got stuck is outbid by what the pool asks for, once', async () => {
    const delivery = rig.newPayment()
    rig.holdBlocks()
    const reply = await rig.deliver(delivery)
    const [cheap] = await rig.sent(1)
    // What waits is too cheap for every block from here on.
    const before = (cheap?.gasPriceWei ?? 0n) + 1n
    const refusedBefore = rig.logged('broadcast.refused').length
    rig.rootstock.setMinGasPrice(before)
    await expect.poll(() => rig.waiting()[0]?.hash).not.toBe(cheap?.hash)
    const [dear] = rig.waiting()
    expect(dear?.nonce).toBe(cheap?.nonce)
    expect(dear?.gasPriceWei).toBe(((cheap?.gasPriceWei ?? 0n) * 140n + 99n) / 100n)
    expect(dear?.data).toBe(cheap?.data)
    expect(rig.logged('broadcast.refused')).toHaveLength(refusedBefore)
    expect(rig.logged('nonce.replaced').length).toBeGreaterThan(0)

    rig.rootstock.setBlockTime(blockMs)
    await rig.settle()
    expect(await rig.deliver(delivery)).toEqual(reply)
  })

  test("8: a caller's retries make one payment, immediately and later", async () => {
    const delivery = rig.newPayment()
    const deliver = (_: unknown, index: number) => rig.deliver(delivery, index % 2)
    const replies = await Promise.all(Array.from({ length: 30 }, deliver))
    await rig.settle()
    replies.push(...(await Promise.all(Array.from({ length: 10 }, deliver))))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(readClaim(replies[0])).toBe('submitted')
  })

  test('9: two Workers hand out no nonce twice', async () => {
    rig.holdBlocks()
    const replies = await Promise.all(
      Array.from({ length: 14 }, (_, index) => rig.deliver(rig.newPayment(), index % 2)),
    )
    expect(replies.map(readClaim)).toEqual(replies.map(() => 'submitted'))
    const carried = () => rig.waiting().flatMap(({ data }) => decodeRequests(data))
    await expect.poll(() => carried().length).toBe(14)
    const nonces = rig.waiting().map(({ nonce }) => nonce)
    const [first = 0] = nonces
    expect(nonces).toEqual(nonces.map((_, index) => first + index))
  })
})
