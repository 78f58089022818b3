import { describe, expect, test } from 'vitest'
import { type Condition, checksOf, healthOf } from '../../../src/operator/health.ts'
import type { Vitals } from '../../../src/relay/ledger/port.ts'
import { conditionWith, now } from './condition.ts'

const failingOf = (condition: Condition) => healthOf(condition).failing

describe('health', () => {
  test('is good where all is well', () => {
    expect(failingOf(conditionWith())).toEqual([])
  })

  test('fails for a budget that is spent, and not before', () => {
    const budget = { asked: { relay: 60, callers: 39 }, callsADay: 100 }
    expect(failingOf({ ...conditionWith(), budget })).toEqual([])
    const spent = { ...budget, asked: { relay: 61, callers: 39 } }
    expect(failingOf({ ...conditionWith(), budget: spent })).toEqual(['upstream_budget'])
  })

  test('fails for a relayer that cannot pay for one payment more than are open', () => {
    // At the highest price of 1 gwei a payment takes up to 0.0003.
    const funds = { wei: `${9n * 10n ** 14n}`, at: now }
    expect(failingOf(conditionWith({ carried: 2 }, { funds }))).toEqual([])
    expect(failingOf(conditionWith({ carried: 2, waiting: 1 }, { funds }))).toEqual([
      'relayer_funds',
    ])
  })

  test('fails for a price of gas at which every payment is refused', () => {
    const at = (wei: string) => conditionWith({}, { gasPrice: { wei, at: now } })
    expect(failingOf(at('1000000000'))).toEqual([])
    expect(failingOf(at('1000000001'))).toEqual(['gas_price'])
  })

  test('fails for a restore, and for no pause or drain', () => {
    const since = now - 60_000
    for (const kind of ['paused', 'draining'] as const) {
      expect(failingOf(conditionWith({ intake: { kind, since } }))).toEqual([])
    }
    const intake = { kind: 'restoring', since, exportedAt: since, after: 'open' } as const
    expect(failingOf(conditionWith({ intake }))).toEqual(['intake'])
  })

  test('counts the age of a block whose time is yet to come from when it was first seen', () => {
    const head = { number: 9, timestampSeconds: now / 1_000 + 900, at: now, since: now - 600_000 }
    expect(failingOf(conditionWith({}, { head }))).toEqual(['node'])
  })

  test('says why payments were refused last, and that it is over', () => {
    const at = now - 1_000
    const obstacle = { kind: 'price_too_high', at, toldAt: at } as const
    const price = { wei: `${2n * 10n ** 9n}`, at }
    const lastOf = (...changed: Parameters<typeof conditionWith>) =>
      healthOf(conditionWith(...changed)).lastRefused
    expect(lastOf({ obstacle }, { gasPrice: price })).not.toHaveProperty('over')
    expect(lastOf({ obstacle })).toMatchObject({ reason: 'price_too_high', over: true })
    for (const kind of ['paused', 'draining'] as const) {
      expect(lastOf({ obstacle, intake: { kind, since: at } })).not.toHaveProperty('over')
    }
    const taken = { obstacle: { ...obstacle, endedAt: now } }
    expect(lastOf(taken)).toMatchObject({ over: new Date(now).toISOString() })
  })

  test('refuses for the clock of a process that is more than a minute off, either way', () => {
    const failingAt = [-61_000, -60_000, 60_000, 61_000].map((aheadMs) =>
      failingOf({ ...conditionWith(), aheadMs }),
    )
    expect(failingAt).toEqual([['clock'], [], [], ['clock']])
  })

  test('fails for facts that rounds do not see any more', () => {
    const at = now - 400_000
    const wei = '1'
    const seen = { funds: { wei, at }, gasPrice: { wei, at }, contracts: { state: 'ready', at } }
    const late = conditionWith({}, seen as Partial<Vitals['sight']>)
    expect(failingOf(late)).toEqual(['relayer_funds', 'gas_price', 'contracts'])
  })

  test('fails for rounds that fail again and again, and not for one', () => {
    expect(failingOf(conditionWith({}, { failingSince: now - 30_000 }))).toEqual([])
    expect(failingOf(conditionWith({}, { failingSince: now - 301_000 }))).toEqual(['rounds'])
  })

  test('knows nothing without the ledger, and blames the ledger alone', () => {
    const silent = { ...conditionWith(), vitals: undefined }
    expect(failingOf(silent)).toEqual(['ledger'])
    const unknown = checksOf(silent).filter(({ state }) => state === 'unknown')
    expect(unknown.map(({ name }) => name)).toEqual([
      ...['identity', 'clock', 'node', 'relayer_funds', 'gas_price', 'contracts', 'queue'],
      ...['rounds', 'intake'],
    ])
  })
})
