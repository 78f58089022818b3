import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { claimOf } from '../../../scripts/dev/relays/oracle.ts'
import type { RpcCall } from '../../../scripts/dev/rpc.ts'
import { openAnvilRig } from '../../support/faults/open-rig.ts'

// A tenth of the usual patience, so that what was lost goes out again within a second.
const rig = openAnvilRig({ BLOCK_SECONDS: '2.5' })
const call: RpcCall = (method, params) => rig.call(method, params)
const logged = (event: string) => rig.logged(event).length

async function pendingHashes(): Promise<Hex[]> {
  const block = await call('eth_getBlockByNumber', ['pending', false])
  return (block as { transactions: Hex[] }).transactions
}

describe('on an anvil', () => {
  test.for([1, 2, 3])('anvil_reorg of %d blocks with payments in them', async (depth) => {
    const before = (await rig.judge()).executed
    const confirmed = logged('payment.confirmed')
    const deliveries = Array.from({ length: depth }, () => rig.newPayment())
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
    await rig.settled()
    for (const [index, delivery] of deliveries.entries()) {
      expect(await rig.deliver(delivery)).toEqual(replies[index])
    }
  })

  test('anvil_rollback, after which the chain is shorter', async () => {
    const confirmed = logged('payment.confirmed')
    await rig.payMany(1)
    await expect.poll(() => logged('payment.confirmed')).toBe(confirmed + 1)
    await call('anvil_rollback', [1])
    expect((await rig.judge()).lost).toBe(1)
    await rig.relay.wake()
    await expect.poll(async () => (await rig.judge()).lost).toBe(0)
  })

  test('anvil_dropTransaction of a payment that waits', async () => {
    await call('evm_setAutomine', [false])
    expect(claimOf(await rig.deliver(rig.newPayment()))).toBe('submitted')
    const [hash] = await pendingHashes()
    expect(await call('anvil_dropTransaction', [hash])).toBe(hash)
    expect(await pendingHashes()).toEqual([])
  })

  test('anvil_dropAllTransactions of many', async () => {
    await call('evm_setAutomine', [false])
    await rig.payMany(20)
    expect((await pendingHashes()).length).toBeGreaterThan(1)
    await call('anvil_dropAllTransactions')
  })

  test('a transaction that is known there counts as sent', async () => {
    await call('evm_setAutomine', [false])
    const sent = rig.faults.seen('eth_sendRawTransaction')
    await rig.deliver(rig.newPayment())
    const hashes = await pendingHashes()
    await expect.poll(() => rig.faults.seen('eth_sendRawTransaction')).toBeGreaterThan(sent + 1)
    expect(await pendingHashes()).toEqual(hashes)
    // A round of before may still offer what blocks have by now.
    const refused = rig.logged('broadcast.refused')
    expect(refused.filter(({ hash }) => hashes.includes(hash as Hex))).toEqual([])
  })
})
