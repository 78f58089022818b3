import { describe, expect, test } from 'vitest'
import { chains, poolRules } from '../../../../src/chain/chains.ts'
import { alertsOf } from '../../../../src/operator/alerting/alerts.ts'
import type { Condition } from '../../../../src/operator/health.ts'
import type { Vitals } from '../../../../src/relay/ledger/port.ts'
import { conditionWith, noneOpen, now } from '../condition.ts'

const subject = {
  chain: chains[31],
  relayer: () => '0x1111111111111111111111111111111111111111' as const,
  loan: '0x2222222222222222222222222222222222222222',
  forwarder: '0x3333333333333333333333333333333333333333',
  guards: [],
  nodes: () => [],
} as const

type Known = Condition & { vitals: Vitals }

const namesOf = (known: Known) => alertsOf(known, subject).map(({ name }) => name)
const saysOf = (known: Known) => alertsOf(known, subject).map(({ says }) => says)

const pool = (liquidityWei: string) => ({
  ...{ state: 'ready' as const, at: now },
  pool: {
    ...{ liquidityWei, issuableWei: '0', owedWei: '0', balancesWei: '0', isPaused: false },
    principalWei: `${10n ** 16n}`,
  },
})

describe('alerts', () => {
  test('are none where all is well', () => {
    expect(namesOf(conditionWith())).toEqual([])
  })

  test('say what to send to a relayer, and what waits since when', () => {
    const funds = { wei: '0', at: now }
    const oldest = { ...noneOpen, waiting: now - 60_000 }
    const poor = conditionWith({ waiting: 3, oldest }, { funds })
    expect(saysOf(poor)).toEqual([
      `Relayer ${subject.relayer()} has 0 tRBTC, enough for 0 payments; 3 payments wait since 2023-11-14T22:12:20.000Z. Send 0.133 there; nothing is lost.`,
    ])
    // 266,000 gas a payment, at the highest price of 1 gwei.
    const few = { wei: `${49n * 266_000n * 10n ** 9n}`, at: now }
    expect(namesOf(conditionWith({}, { funds: few }))).toEqual(['relayer_low'])
    const enough = { wei: `${50n * 266_000n * 10n ** 9n}`, at: now }
    expect(namesOf(conditionWith({}, { funds: enough }))).toEqual([])
  })

  test('tell of a payment that no block takes, and of one that was carried in vain', () => {
    const lateMs = poolRules.rootstock.replaceAfterMs * 3
    const carried = { ...noneOpen, carried: now - lateMs + 1 }
    expect(namesOf(conditionWith({ oldest: carried }))).toEqual([])
    expect(namesOf(conditionWith({ oldest: { ...noneOpen, carried: now - lateMs } }))).toEqual([
      'stuck',
    ])
    expect(namesOf(conditionWith({ oldest: { ...noneOpen, stuck: now } }))).toEqual(['stuck'])
  })

  test('tell of a pool that has fewer than ten loans', () => {
    const of = (wei: bigint) => namesOf(conditionWith({}, { contracts: pool(`${wei}`) }))
    expect(of(10n ** 17n)).toEqual([])
    expect(of(10n ** 17n - 1n)).toEqual(['pool_low'])
  })

  test('tell of what health fails for, with the remedy', () => {
    const identity = { kind: 'different' as const, names: ['ACCOUNT_KEY_SECRET'] }
    const contracts = { state: 'not_allowed' as const, at: now }
    const gasPrice = { wei: '2000000000', at: now }
    const seen = { silentSince: now - 70_000, failingSince: now - 400_000, contracts, gasPrice }
    const bad = conditionWith({ identity }, seen)
    expect(namesOf(bad)).toEqual([
      ...['price_high', 'node_down', 'identity', 'contracts', 'round_late'],
    ])
    for (const says of saysOf(bad)) expect(says).toMatch(/^[A-Z].+\. [A-Z].+\.$/)
  })

  test('tell of no round that is late where none was ever due', () => {
    const known = conditionWith({}, { failingSince: now - 400_000 })
    expect(namesOf(known)).toEqual(['round_late'])
    known.vitals.sight.roundAt = undefined
    expect(namesOf(known)).toEqual([])
  })

  test('tell for an hour of a caller whose number no plan knows', () => {
    const unlistedAt = now - 3_600_000
    expect(namesOf(conditionWith({ unlistedAt }))).toEqual(['unlisted_number'])
    expect(namesOf(conditionWith({ unlistedAt: unlistedAt - 1 }))).toEqual([])
  })

  test('tell of a budget from 80 % on', () => {
    const used = (relay: number) => ({ asked: { relay, callers: 39 }, callsADay: 100 })
    expect(namesOf({ ...conditionWith(), budget: used(40) })).toEqual([])
    expect(namesOf({ ...conditionWith(), budget: used(41) })).toEqual(['budget'])
  })
})
