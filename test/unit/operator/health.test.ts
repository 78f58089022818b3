import { describe, test } from 'vitest'
import { poolRules } from '../../../src/chain/chains.ts'
import { type Condition, checksOf, healthOf } from '../../../src/operator/health.ts'
import type { Vitals } from '../../../src/relay/ledger/port.ts'

const gwei = 1_000_000_000n
const now = 1_700_000_000_000
const terms = { rules: poolRules.rootstock, fees: { minWei: 0n, maxWei: gwei } }
const none = { waiting: undefined, stuck: undefined, carried: undefined, mined: undefined }

/** A deployment of which all is well but what the test changes. */
function conditionWith(changes: Partial<Vitals> = {}, sight: Partial<Vitals['sight']> = {}) {
  const at = now - 20_000
  const vitals: Vitals = {
    ...{ now, schema: '2', identity: { kind: 'same' }, obstacle: undefined },
    ...{ nextNonce: 3, carried: 0, waiting: 0, oldest: none },
    ...{ intake: { kind: 'open' }, lastMinedAt: undefined, counts: {} },
    sight: {
      roundAt: at,
      head: { number: 9, timestampSeconds: at / 1_000, at },
      funds: { wei: `${10n ** 18n}`, at },
      gasPrice: { wei: `${gwei / 10n}`, at },
      contracts: { state: 'ready', at },
      ...sight,
    },
    ...changes,
  }
  const condition: Condition = { vitals, terms, budget: undefined }
  return condition
}

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

  test('fails for facts that rounds do not see any more', ({ expect }) => {
    const at = now - 400_000
    const seen = { funds: { wei: '1', at }, contracts: { state: 'ready', at } } as const
    expect(failingOf(conditionWith({}, seen))).toEqual(['relayer_funds', 'contracts'])
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
      ...['identity', 'node', 'relayer_funds', 'contracts', 'rounds'],
    ])
  })
})
