import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { claimOf } from '../../../scripts/dev/relays/oracle.ts'
import { type Rig, startRig } from '../../../scripts/dev/relays/rig.ts'
import { judged, loggedBy, pay, waitingIn } from '../../support/faults/payment.ts'

let rig: Rig

beforeAll(async () => {
  rig = await startRig({ blockMs: 100, workers: 2, callers: 160 })
  return rig.stop
})

afterEach(async () => {
  rig.faults.clear()
  rig.rootstock.setBlockTime(100)
})

/** Hashes of the relayer's transactions that wait. */
const waiting = () => waitingIn(rig)

const logged = (event: string) => loggedBy(rig, event)

describe('failures of other relayers', () => {
  test('1: an error on the way is not taken for "not sent"', async () => {
    const [first, second] = [rig.nextCaller(), rig.nextCaller()]
    rig.rootstock.setBlockTime(undefined)
    rig.faults.script({
      fault: { kind: 'drop_reply' },
      methods: ['eth_sendRawTransaction'],
      times: 1,
    })
    expect(claimOf(await rig.deliver(pay(first.phone)))).toBe('submitted')
    expect(claimOf(await rig.deliver(pay(second.phone)))).toBe('submitted')
    const nonces = waiting().map(({ nonce }) => nonce)
    expect(nonces).toHaveLength(2)
    expect(nonces[1]).toBe((nonces[0] ?? 0) + 1)
    rig.rootstock.setBlockTime(100)
    expect(await judged(rig)).toEqual([])
  })

  test('2: a counter that ran far ahead of the chain comes back', async () => {
    await rig.relay.restart('lost')
    const scripted = rig.faults.script({
      fault: { kind: 'miscounted', by: 40 },
      methods: ['eth_getTransactionCount'],
      times: 1,
    })
    const caller = rig.nextCaller()
    expect(claimOf(await rig.deliver(pay(caller.phone)))).toBe('submitted')
    expect(scripted.hits()).toBe(1)
    expect(await judged(rig)).toEqual([])
    expect(logged('nonce.ahead')).toHaveLength(1)
  })

  test('2: a counter a little ahead leaves no gap', async () => {
    await rig.relay.restart('lost')
    rig.faults.script({
      fault: { kind: 'miscounted', by: 5 },
      methods: ['eth_getTransactionCount'],
      times: 1,
    })
    const callers = [rig.nextCaller(), rig.nextCaller(), rig.nextCaller()]
    const replies = await Promise.all(callers.map(({ phone }) => rig.deliver(pay(phone))))
    expect(replies.map(claimOf)).toEqual(['submitted', 'submitted', 'submitted'])
    expect(await judged(rig)).toEqual([])
  })

  test.for(['returned', 'dropped'] as const)(
    '3: a payment whose block a reorganization removed is made again (%s)',
    async (transactions) => {
      const caller = rig.nextCaller()
      const delivery = pay(caller.phone)
      rig.rootstock.setBlockTime(undefined)
      const reply = await rig.deliver(delivery)
      const minedBefore = logged('payment.mined').length
      const [block] = await rig.rootstock.mine()
      expect(block?.transactions).toHaveLength(1)
      await expect.poll(() => logged('payment.mined').length).toBe(minedBefore + 1)

      await rig.rootstock.reorg({ depth: 1, transactions })
      rig.rootstock.setBlockTime(100)
      expect(await judged(rig)).toEqual([])
      expect(await rig.deliver(delivery)).toEqual(reply)
    },
  )

  test('4: a nonce is not given away whose bytes were sent and whose Worker died', async () => {
    const [first, second] = [rig.nextCaller(), rig.nextCaller()]
    rig.rootstock.setBlockTime(undefined)
    rig.faults.script({
      fault: { kind: 'delay_reply', ms: 60_000 },
      methods: ['eth_sendRawTransaction'],
      times: 1,
    })
    rig.abandon(pay(first.phone))
    const dying = rig.relay.deliver(pay(first.phone)).catch(() => undefined)
    await expect.poll(() => waiting().length).toBe(1)
    await rig.relay.restart('kept')
    await dying

    expect(claimOf(await rig.deliver(pay(second.phone)))).toBe('submitted')
    expect(new Set(waiting().map(({ nonce }) => nonce)).size).toBe(2)
    rig.rootstock.setBlockTime(100)
    expect(claimOf(await rig.deliver(pay(first.phone)))).toBe('submitted')
    expect(await judged(rig)).toEqual([])
  })

  test('4: nor one whose bytes reached the pool after their sender had given up', async () => {
    const callers = [rig.nextCaller(), rig.nextCaller()]
    rig.faults.script({
      fault: { kind: 'delay_request', ms: 2_500 },
      methods: ['eth_sendRawTransaction'],
      times: 1,
    })
    for (const { phone } of callers) {
      expect(claimOf(await rig.deliver(pay(phone)))).toBe('submitted')
    }
    expect(await judged(rig)).toEqual([])
  })

  test('5: a node that is slow for one payment holds up no other', async () => {
    // On a busy machine the others may take as long now and then; held up, they do so every time.
    let isHeldUp = true
    while (isHeldUp) {
      const others = Array.from({ length: 8 }, () => rig.nextCaller())
      let isSlowAnswered = false
      const scripted = rig.faults.script({
        fault: { kind: 'delay_reply', ms: 1_500 },
        methods: ['eth_sendRawTransaction'],
        times: 1,
      })
      const slowReply = rig.deliver(pay(rig.nextCaller().phone)).finally(() => {
        isSlowAnswered = true
      })
      await expect.poll(scripted.hits).toBe(1)
      const replies = await Promise.all(others.map(({ phone }) => rig.deliver(pay(phone))))
      isHeldUp = isSlowAnswered
      expect(replies.map(claimOf)).toEqual(others.map(() => 'submitted'))
      expect(claimOf(await slowReply)).toBe('submitted')
      expect(await judged(rig)).toEqual([])
    }
  })

  test('6: bytes that the pool has already count as sent', async () => {
    const caller = rig.nextCaller()
    rig.rootstock.setBlockTime(undefined)
    const sentBefore = rig.faults.seen('eth_sendRawTransaction')
    expect(claimOf(await rig.deliver(pay(caller.phone)))).toBe('submitted')
    const refusedBefore = logged('broadcast.refused').length
    const [transaction] = waiting()
    // The same bytes go out again before the pool would drop them.
    await expect
      .poll(() => rig.faults.seen('eth_sendRawTransaction'))
      .toBeGreaterThan(sentBefore + 1)
    expect(waiting()).toEqual([transaction])
    expect(logged('broadcast.refused')).toHaveLength(refusedBefore)
    expect((await rig.rootstock.mine())[0]?.transactions).toEqual([transaction?.hash])
    rig.rootstock.setBlockTime(100)
    expect(await judged(rig)).toEqual([])
  })

  test('7: a payment that got stuck is outbid by what the pool asks for, once', async () => {
    const caller = rig.nextCaller()
    const delivery = pay(caller.phone)
    rig.rootstock.setBlockTime(undefined)
    const reply = await rig.deliver(delivery)
    const [cheap] = waiting()
    // What waits is too cheap for every block from here on.
    const before = (cheap?.gasPriceWei ?? 0n) + 1n
    const refusedBefore = logged('broadcast.refused').length
    rig.rootstock.setMinGasPrice(before)
    await expect.poll(() => waiting()[0]?.hash).not.toBe(cheap?.hash)
    const [dear] = waiting()
    expect(dear?.nonce).toBe(cheap?.nonce)
    expect(dear?.gasPriceWei).toBe(((cheap?.gasPriceWei ?? 0n) * 140n + 99n) / 100n)
    expect(dear?.data).toBe(cheap?.data)
    expect(logged('broadcast.refused')).toHaveLength(refusedBefore)
    expect(logged('nonce.replaced').length).toBeGreaterThan(0)

    rig.rootstock.setBlockTime(100)
    expect(await judged(rig)).toEqual([])
    expect(await rig.deliver(delivery)).toEqual(reply)
    rig.rootstock.setMinGasPrice(60_000_000n)
  })

  test("8: a caller's retries are one payment, at once and later", async () => {
    const caller = rig.nextCaller()
    const deliver = (_: unknown, index: number) => rig.deliver(pay(caller.phone), index % 2)
    const replies = await Promise.all(Array.from({ length: 30 }, deliver))
    await rig.settle()
    replies.push(...(await Promise.all(Array.from({ length: 10 }, deliver))))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(claimOf(replies[0])).toBe('submitted')
    expect(await judged(rig)).toEqual([])
  })

  test('9: two Workers hand out no nonce twice', async () => {
    const callers = Array.from({ length: 14 }, () => rig.nextCaller())
    rig.rootstock.setBlockTime(undefined)
    const replies = await Promise.all(
      callers.map(({ phone }, index) => rig.deliver(pay(phone), index % 2)),
    )
    expect(replies.map(claimOf)).toEqual(callers.map(() => 'submitted'))
    const nonces = waiting().map(({ nonce }) => nonce)
    const [first = 0] = nonces
    expect(nonces).toEqual(callers.map((_, index) => first + index))
    rig.rootstock.setBlockTime(100)
    expect(await judged(rig)).toEqual([])
  })
})
