import { describe, expect, test } from 'vitest'
import { describeHealth, type HealthData, runChecks } from '../../../src/operator/health.ts'
import { conditionWith, now } from './condition.ts'

const failingOf = (condition: HealthData) => describeHealth(condition).failing

describe('health', () => {
  const at = now
  const since = now - 60_000
  // At the highest price of 1 gwei a payment takes up to 0.0003.
  const balanceWei = { value: 9n * 10n ** 14n, at }
  const priced = (value: bigint) => conditionWith({}, { gasPriceWei: { value, at } })
  const differing = (name: string) =>
    conditionWith({ identity: { kind: 'different', names: [name] } })
  const spent = (relay: number) => {
    const budget = { callsToday: { relay, callers: 39 }, callsADay: 100 }
    return { ...conditionWith(), budget }
  }
  /** Creates a silence of so many ms that was last looked at so many ms ago. */
  const silentFor = (ms: number, askedMs: number) => {
    const roundAt = now - askedMs
    return conditionWith({}, { silentSince: roundAt - ms, roundAt })
  }
  const old = { value: 1n, at: now - 400_000 }
  const unseen = {
    balanceWei: old,
    gasPriceWei: old,
    contracts: { state: 'ready', at: old.at },
  } as const
  const early = { number: 9, timestampSeconds: now / 1_000 + 900, at, since: now - 600_000 }

  test('says that a ledger with payments was begun with these secrets, and is not empty', () => {
    const says = (nextNonce: number) =>
      runChecks(conditionWith({ nextNonce })).find(({ name }) => name === 'identity')?.says
    expect(says(0)).toBe('The ledger is empty, or was begun with these secrets')
    expect(says(3)).toBe('The ledger was begun with these secrets')
  })

  test.for<[what: string, condition: HealthData, failing: string[]]>([
    ['nothing where all is well', conditionWith(), []],
    ['no budget that is not spent', spent(60), []],
    ['a budget that is spent', spent(61), ['upstream_budget']],
    ['no relayer that can pay for one more', conditionWith({ carried: 2 }, { balanceWei }), []],
    [
      'a relayer that cannot pay for one payment more than are open',
      conditionWith({ carried: 2, waiting: 1 }, { balanceWei }),
      ['relayer_funds'],
    ],
    ['no price that is paid', priced(1_000_000_000n), []],
    ['a price of gas at which every payment is refused', priced(1_000_000_001n), ['gas_price']],
    [
      'a price above the highest, and for no balance, whose worth nothing tells then',
      conditionWith(
        { carried: 2, waiting: 1 },
        { balanceWei, gasPriceWei: { value: 1_000_000_001n, at } },
      ),
      ['gas_price'],
    ],
    [
      'contracts before a balance, because a top-up does not mend them',
      conditionWith({ waiting: 3 }, { balanceWei, contracts: { state: 'missing', at } }),
      ['contracts', 'relayer_funds'],
    ],
    ['no silence that nobody has looked for since', silentFor(0, 855_000), ['rounds']],
    ['no pause', conditionWith({ intake: { kind: 'paused', since } }), []],
    ['no drain', conditionWith({ intake: { kind: 'draining', since } }), []],
    [
      'a block whose time is yet to come, by when it was first seen',
      conditionWith({}, { head: early }),
      ['node'],
    ],
    ['no clock that is a minute behind', { ...conditionWith(), aheadMs: -60_000 }, []],
    ['no clock that is a minute ahead', { ...conditionWith(), aheadMs: 60_000 }, []],
    ['a clock that is more behind', { ...conditionWith(), aheadMs: -61_000 }, ['clock']],
    ['a clock that is more ahead', { ...conditionWith(), aheadMs: 61_000 }, ['clock']],
    [
      'facts that rounds do not see any more',
      conditionWith({}, unseen),
      ['contracts', 'gas_price', 'relayer_funds'],
    ],
    ['no round that fails', conditionWith({}, { failingSince: now - 30_000 }), []],
    [
      'rounds that fail again and again',
      conditionWith({}, { failingSince: now - 301_000 }),
      ['rounds'],
    ],
  ])('fails for %s', ([, condition, failing]) => {
    expect(failingOf(condition)).toEqual(failing)
  })

  test.for<[what: string, condition: HealthData, says: RegExp]>([
    [
      'a price just too high to raise the limit',
      priced(1_000_000_001n),
      /MAX_GAS_PRICE_WEI is \d+$/,
    ],
    ['a price ten times the limit to doubt the node', priced(10_000_000_000n), /compare another/],
    [
      'a node whose chain stands still that it answers, and since when',
      conditionWith({}, { head: early }),
      /^Block 9 is 600 s old: nodes answer, but their chain has had no new block since 2023-11-14T22:03:20/,
    ],
    ['a silence that was just noticed no time', silentFor(0, 0), /^No node answers: .* 0 s ago$/],
    ['a silence its time until the last look', silentFor(40_000, 20_000), /for 40 s: .* 20 s ago$/],
    ['other secrets nothing of numbers', differing('PIN_SECRET'), /values of: PIN_SECRET$/],
    [
      'another numbering table its command',
      differing('NUMBERING'),
      /NUMBERING \(NUMBERING: `npm run ops -- account alias`\)$/,
    ],
    [
      'a silent ledger where to look',
      { ...conditionWith(), vitals: undefined, store: 'Redis' },
      /: look at Redis$/,
    ],
  ])('says of %s', ([, condition, says]) => {
    const failing = runChecks(condition).filter(({ state }) => state === 'failing')
    expect(failing).toMatchObject([{ says: expect.stringMatching(says) }])
  })

  test('names the last reason for refusals, and when it has ended', () => {
    const at = now - 1_000
    const obstacle = { kind: 'price_too_high', at, toldAt: at } as const
    const price = { value: 2n * 10n ** 9n, at }
    const lastOf = (...changed: Parameters<typeof conditionWith>) =>
      describeHealth(conditionWith(...changed)).lastRefused
    expect(lastOf({ obstacle }, { gasPriceWei: price })).not.toHaveProperty('over')
    expect(lastOf({ obstacle })).toMatchObject({ reason: 'price_too_high', over: true })
    for (const kind of ['paused', 'draining'] as const) {
      expect(lastOf({ obstacle, intake: { kind, since: at } })).not.toHaveProperty('over')
    }
    const taken = { obstacle: { ...obstacle, endedAt: now } }
    expect(lastOf(taken)).toMatchObject({ over: new Date(now).toISOString() })
  })

  test('is unknown without the ledger, and names only the ledger', () => {
    const silent = { ...conditionWith(), vitals: undefined }
    expect(failingOf(silent)).toEqual(['ledger'])
    const unknown = runChecks(silent).filter(({ state }) => state === 'unknown')
    expect(unknown.map(({ name }) => name)).toEqual([
      ...['identity', 'clock', 'node', 'contracts', 'gas_price', 'relayer_funds'],
      ...['queue', 'rounds'],
    ])
  })
})
