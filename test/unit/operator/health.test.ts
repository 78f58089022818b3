import { describe, test } from 'vitest'
import { type Condition, checksOf, healthOf } from '../../../src/operator/health.ts'
import type { Vitals } from '../../../src/relay/ledger/port.ts'
import { conditionWith, now } from './condition.ts'

const failingOf = (condition: Condition) => healthOf(condition).failing

describe('health', () => {
  test('is good where all is well', ({ expect }) => {
    expect(failingOf(conditionWith())).toEqual([])
  })

  test('fails for a budget that is spent, and not before', ({ expect }) => {
    const budget = { asked: { relay: 60, callers: 39 }, callsADay: 100 }
    expect(failingOf({ ...conditionWith(), budget })).toEqual([])
    const spent = { ...budget, asked: { relay: 61, callers: 39 } }
    expect(failingOf({ ...conditionWith(), budget: spent })).toEqual(['upstream_budget'])
  })

  test('fails for a relayer that cannot pay for one payment more than are open', ({ expect }) => {
    // At the highest price of 1 gwei a payment takes up to 0.0003.
    const funds = { wei: `${9n * 10n ** 14n}`, at: now }
    expect(failingOf(conditionWith({ carried: 2 }, { funds }))).toEqual([])
    expect(failingOf(conditionWith({ carried: 2, waiting: 1 }, { funds }))).toEqual([
      'relayer_funds',
    ])
  })

  test('fails for a price of gas at which every payment is refused', ({ expect }) => {
    const at = (wei: string) => conditionWith({}, { gasPrice: { wei, at: now } })
    expect(failingOf(at('1000000000'))).toEqual([])
    expect(failingOf(at('1000000001'))).toEqual(['gas_price'])
  })

  test('fails for a restore, and for no pause or drain', ({ expect }) => {
    const since = now - 60_000
    for (const kind of ['paused', 'draining'] as const) {
      expect(failingOf(conditionWith({ intake: { kind, since } }))).toEqual([])
    }
    const intake = { kind: 'restoring', since, exportedAt: since, after: 'open' } as const
    expect(failingOf(conditionWith({ intake }))).toEqual(['intake'])
  })

  test('fails for facts that rounds do not see any more', ({ expect }) => {
    const at = now - 400_000
    const wei = '1'
    const seen = { funds: { wei, at }, gasPrice: { wei, at }, contracts: { state: 'ready', at } }
    const late = conditionWith({}, seen as Partial<Vitals['sight']>)
    expect(failingOf(late)).toEqual(['relayer_funds', 'gas_price', 'contracts'])
  })

  test('fails for rounds that fail again and again, and not for one', ({ expect }) => {
    expect(failingOf(conditionWith({}, { failingSince: now - 30_000 }))).toEqual([])
    expect(failingOf(conditionWith({}, { failingSince: now - 301_000 }))).toEqual(['rounds'])
  })

  test('knows nothing without the ledger, and blames the ledger alone', ({ expect }) => {
    const silent = { ...conditionWith(), vitals: undefined }
    expect(failingOf(silent)).toEqual(['ledger'])
    const unknown = checksOf(silent).filter(({ state }) => state === 'unknown')
    expect(unknown.map(({ name }) => name)).toEqual([
      ...['identity', 'node', 'relayer_funds', 'gas_price', 'contracts', 'rounds', 'intake'],
    ])
  })
})
