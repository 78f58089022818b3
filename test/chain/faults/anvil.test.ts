import type { Hex } from 'viem'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { claimOf } from '../../../scripts/dev/relays/oracle.ts'
import { type AnvilRig, startAnvilRig } from '../../../scripts/dev/relays/rig.ts'
import { rpcTo } from '../../../scripts/dev/rpc.ts'
import { judged, loggedBy, pay } from '../../support/faults/payment.ts'

let rig: AnvilRig

beforeAll(async () => {
  // A tenth of the usual patience, so that what was lost goes out again within a second.
  rig = await startAnvilRig({ callers: 60, variables: { BLOCK_SECONDS: '2.5' } })
  return rig.stop
})

afterEach(() => call('evm_setAutomine', [true]))

const call = (method: string, params: unknown[] = []) => rpcTo(rig.chain.anvil.url)(method, params)

const logged = (event: string) => loggedBy(rig, event).length

async function pendingHashes(): Promise<Hex[]> {
  const block = await call('eth_getBlockByNumber', ['pending', false])
  return (block as { transactions: Hex[] }).transactions
}

describe('on an anvil', () => {
  test.for([1, 2, 3])('anvil_reorg of %d blocks with payments in them', async (depth) => {
    const before = (await rig.judge()).executed
    const confirmed = logged('payment.confirmed')
    const deliveries = Array.from({ length: depth }, () => pay(rig.nextCaller().phone))
    const replies = []
    for (const delivery of deliveries) {
      replies.push(await rig.deliver(delivery))
      await expect.poll(async () => (await rig.judge()).executed).toBe(before + replies.length)
    }
    await expect.poll(() => logged('payment.confirmed')).toBe(confirmed + depth)

    await call('anvil_reorg', [depth, []])
    expect(await rig.judge()).toMatchObject({ executed: before, lost: depth })
    await rig.relay.wake()
    await expect.poll(async () => (await rig.judge()).lost).toBe(0)
    expect(await judged(rig)).toEqual([])
    for (const [index, delivery] of deliveries.entries()) {
      expect(await rig.deliver(delivery)).toEqual(replies[index])
    }
  })

  test('anvil_rollback, after which the chain is shorter', async () => {
    const confirmed = logged('payment.confirmed')
    const delivery = pay(rig.nextCaller().phone)
    await rig.deliver(delivery)
    await expect.poll(() => logged('payment.confirmed')).toBe(confirmed + 1)
    await call('anvil_rollback', [1])
    expect((await rig.judge()).lost).toBe(1)
    await rig.relay.wake()
    await expect.poll(async () => (await rig.judge()).lost).toBe(0)
    expect(await judged(rig)).toEqual([])
  })

  test('anvil_dropTransaction of a payment that waits', async () => {
    await call('evm_setAutomine', [false])
    expect(claimOf(await rig.deliver(pay(rig.nextCaller().phone)))).toBe('submitted')
    const [hash] = await pendingHashes()
    expect(await call('anvil_dropTransaction', [hash])).toBe(hash)
    expect(await pendingHashes()).toEqual([])
    await call('evm_setAutomine', [true])
    expect(await judged(rig)).toEqual([])
  })

  test('anvil_dropAllTransactions of many', async () => {
    await call('evm_setAutomine', [false])
    await Promise.all(Array.from({ length: 20 }, () => rig.deliver(pay(rig.nextCaller().phone))))
    expect(await pendingHashes()).toHaveLength(20)
    await call('anvil_dropAllTransactions')
    await call('evm_setAutomine', [true])
    expect(await judged(rig)).toEqual([])
  })

  test('a transaction that is known there counts as sent', async () => {
    await call('evm_setAutomine', [false])
    const sent = rig.faults.seen('eth_sendRawTransaction')
    await rig.deliver(pay(rig.nextCaller().phone))
    const hashes = await pendingHashes()
    await expect.poll(() => rig.faults.seen('eth_sendRawTransaction')).toBeGreaterThan(sent + 1)
    expect(await pendingHashes()).toEqual(hashes)
    // A round of before may still offer what blocks have by now.
    const refused = rig.relay.log.filter(({ event }) => event === 'broadcast.refused')
    expect(refused.filter(({ hash }) => hashes.includes(hash as Hex))).toEqual([])
    await call('evm_setAutomine', [true])
    await call('evm_mine')
    expect(await judged(rig)).toEqual([])
  })
})
