import { describe, expect, test } from 'vitest'
import { createAccountPool } from '../../../scripts/dev/rootstock-pool/account-pool.ts'
import { rootstockRules } from '../../../scripts/dev/rootstock-pool/rules.ts'
import { createModelChain } from '../../../scripts/dev/simulator/model/chain.ts'
import type { ModelTransaction } from '../../../scripts/dev/simulator/model/signing.ts'
import { coinMoney } from '../../../scripts/dev/simulator/money.ts'
import {
  forwarderAddress,
  loanAddress,
  startState,
} from '../../../scripts/dev/simulator/setting.ts'

function createChain() {
  const pool = createAccountPool<ModelTransaction>(rootstockRules)
  const { unit } = coinMoney
  const world = { unit, forwarder: forwarderAddress, loan: loanAddress, isSigned: () => true }
  const chain = createModelChain({
    world: { ...world, principalWei: 1n, dailyCapWei: 1n },
    ...{
      pools: [pool],
      state: startState([], { ...coinMoney, poolLoans: 0 }),
      start: 0,
      blockMs: 1000,
      minGasPriceWei: 1n,
    },
    isTaken: () => true,
  })
  const view = { stateNonce: 0, balanceWei: 10n ** 18n, minGasPriceWei: 1n, head: 0, nowMs: 0 }
  const hash = `0x${'aa'.repeat(32)}` as const
  const money = { nonce: 0, key: 0, gasPriceWei: 1n, gas: 21_000, to: loanAddress }
  pool.add({ ...money, hash, raw: '0x', data: '0x', requests: [] }, view)
  return { chain, pool, hash }
}

describe("the model's chain", () => {
  test('takes up the same blocks again that another branch had replaced', () => {
    const { chain, pool, hash } = createChain()
    chain.mine(1_000)
    const tip = chain.mine(2_000)
    const { added } = chain.reorganize(2, 2, 3_000, () => false)
    expect(added.map(({ number }) => number)).toEqual([1, 2])
    expect(chain.head().hash).not.toBe(tip.hash)
    expect(chain.find(hash, chain.head())).toBeUndefined()
    const back = chain.resume(tip, 4_000, () => true)
    expect(back.removed).toEqual(added)
    expect(chain.blockAt(2, chain.head())).toBe(tip)
    expect(chain.head().number).toBe(3)
    expect(chain.head().state.nonces[0]).toBe(1)
    expect(chain.find(hash, chain.head())?.block.number).toBe(1)
    expect(pool.all().some((waiting) => waiting.hash === hash)).toBe(false)
  })

  test('does what others did once on each branch, however often they alternate', () => {
    const { chain } = createChain()
    chain.change((state) => {
      state.liquidityWei += 5n
    })
    chain.mine(1_000)
    const tip = chain.head()
    chain.reorganize(1, 1, 2_000, () => true)
    expect(chain.head().state.liquidityWei).toBe(5n)
    chain.resume(tip, 3_000, () => true)
    expect(chain.head().state.liquidityWei).toBe(5n)
  })
})
