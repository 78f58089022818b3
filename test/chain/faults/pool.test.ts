import { describe, expect, test } from 'vitest'
import { until } from '../../../scripts/dev/wait.ts'
import { blockMs, minPrice, openRig } from '../../support/faults/open-rig.ts'

const rig = openRig()

describe('a pool that forgets', () => {
  test('everything, twice, gets the same payments on their nonces again', async () => {
    rig.holdBlocks()
    await rig.payInTurn(8)
    const sent = await rig.sent(8)
    for (let time = 0; time < 2; time++) {
      expect(await rig.rootstock.evictAll()).toHaveLength(8)
      await expect.poll(() => rig.waiting().length).toBe(8)
    }
    const told = (waiting: typeof sent) =>
      waiting.map(({ nonce, data }) => `${nonce} ${data}`).sort()
    expect(told(rig.waiting())).toEqual(told(sent))
  })

  test('no transaction that is too cheap for the blocks: it is outbid', async () => {
    rig.holdBlocks()
    await rig.payInTurn(3)
    await rig.sent(3)
    rig.rootstock.setMinGasPrice(minPrice * 2n)
    rig.rootstock.setBlockTime(blockMs)
    await rig.settle()
    expect(rig.logged('nonce.replaced').length).toBeGreaterThan(0)
  })
})

test('a reorganization of confirmed payments that are still watched makes them again', async () => {
  rig.holdBlocks()
  const [mined, confirmed] = ['payment.mined', 'payment.confirmed'].map(
    (event) => () => rig.logged(event).length,
  ) as [() => number, () => number]
  const before = [mined(), confirmed()] as const
  await rig.payInTurn(3)
  await rig.sent(3)
  await rig.rootstock.mine()
  await until(() => mined() >= before[0] + 3)
  await rig.rootstock.mine(4)
  await expect.poll(confirmed).toBe(before[1] + 3)
  await rig.rootstock.reorg({ depth: 5, transactions: 'dropped' })
  expect((await rig.judge()).lost).toBe(3)
  rig.rootstock.setBlockTime(blockMs)
  await expect.poll(async () => (await rig.judge()).lost, { interval: 100 }).toBe(0)
})
