import { describe, expect, test } from 'vitest'
import { poolRules } from '../../../../src/chain/chains.ts'
import { findAlerts } from '../../../../src/operator/alerting/alerts.ts'
import type { KnownHealthData } from '../../../../src/operator/health.ts'
import type { Vitals } from '../../../../src/operator/kept/steps.ts'
import { conditionWith, noneOpen, now, subject } from '../condition.ts'

const namesOf = (known: KnownHealthData) => findAlerts(known, subject).map(({ name }) => name)
const saysOf = (known: KnownHealthData) => findAlerts(known, subject).map(({ says }) => says)

const pool = (liquidityWei: string) => ({
  ...{ state: 'ready' as const, at: now },
  pool: {
    ...{ liquidityWei, issuableWei: '0', owedWei: '0', balancesWei: '0', isPaused: false },
    principalWei: `${10n ** 16n}`,
  },
})

const funds = (wei: bigint) => conditionWith({}, { balanceWei: { value: wei, at: now } })
// 117,000 gas a payment at 0.1 gwei; the last needs 267,000 at the highest price of 1 gwei.
const ofPayments = (count: bigint, more = 0n) =>
  funds((267_000n + (count - 1n) * 11_700n) * 10n ** 9n + more)
const oldest = (ages: object) => conditionWith({ oldest: { ...noneOpen, ...ages } })
const lateMs = poolRules.rootstock.replaceAfterMs * 3
const spike = conditionWith(
  {},
  { balanceWei: { value: 1n, at: now }, gasPriceWei: { value: 2_000_000_000n, at: now } },
)
const rate = { currency: 'KES', micros: '1000000', at: now }
const refusedRate = { ...rate, refused: { micros: '50000000', at: now } }
/** Creates an hour with so many requests of a gateway without the secret, and deliveries. */
const refused = (wrong: number, deliveries: number) => {
  const counts = { 'gateway.hubtel/wrong_secret': wrong, 'gateway.hubtel/delivery': deliveries }
  const hour = { since: now, counts }
  return conditionWith({
    lately: { hour, today: hour },
    gatewayFaults: { 'hubtel/wrong_secret': now },
  })
}
const loans = (wei: bigint) => conditionWith({}, { contracts: pool(`${wei}`) })
/** Is today's price: the highest is ten times as much. */
const todaysWei = 100_000_000n
const failing = { failingSince: now - 400_000 }
const unlistedAt = now - 3_600_000
const waitingFor = (ms: number) => ({ eventsWaitSince: now - ms })
const frontSince = (since: number) => ({
  nonce: 7,
  since,
  gasPriceWei: `${todaysWei}`,
  failures: 0,
})
const waiting = (since: number) => conditionWith({ front: frontSince(since) })
/** Creates a condition whose oldest bytes were signed before this many of four blocks. */
const signedBefore = (count: number) =>
  conditionWith({
    blocks: [0, 1, 2, 3].map((age) => ({
      ...{ number: 9 - age, hash: `0x${age}` as const, count: 3 },
      timestampSeconds: now / 1_000 - 25 * age,
    })),
    front: frontSince(now - 25_000 * count + 12_500),
  })
const unprovedFor = (ms: number) => conditionWith({}, { unproved: { block: 7, at: now - ms } })
const used = (relay: number) => {
  const budget = { callsToday: { relay, callers: 39 }, callsADay: 100 }
  return { ...conditionWith(), budget }
}

describe('alerts', () => {
  test.for<[what: string, known: KnownHealthData, alerts: string[]]>([
    ['nothing where all is well', conditionWith(), []],
    ['nothing where a relayer has enough', ofPayments(20n), []],
    ['a relayer that has few payments left', ofPayments(20n, -1n), ['relayer_low']],
    ['nothing where a block may yet take it', waiting(now - lateMs + 1), []],
    ['a payment that no block takes in time', waiting(now - lateMs), ['stuck']],
    ['nothing where two blocks have not taken it', signedBefore(2), []],
    ['a payment that three blocks have not taken', signedBefore(3), ['stuck']],
    ['one that failed in too many attempts', oldest({ stuck: now }), ['stuck']],
    ['nothing where a pool has ten loans', loans(10n ** 17n), []],
    ['a pool that has fewer than ten loans', loans(10n ** 17n - 1n), ['pool_low']],
    ['rows that may be lost', conditionWith({ possibleLossAt: now }), ['rows_lost']],
    ['rows that are missing', conditionWith({ missing: ['payments:a'] }), ['rows_missing']],
    ['rounds that are late', conditionWith({}, failing), ['round_late']],
    ['a cron that is refused', { ...conditionWith(), isCronRefused: true }, ['cron_refused']],
    ['nothing where none was ever due', conditionWith({}, { ...failing, roundAt: undefined }), []],
    ['an unlisted caller for an hour', conditionWith({ unlistedAt }), ['unlisted_number']],
    ['nothing of one before', conditionWith({ unlistedAt: unlistedAt - 1 }), []],
    ['an outcome without its proof for an hour', unprovedFor(3_600_000), ['unproved']],
    ['nothing of one before', unprovedFor(3_600_001), []],
    ['nothing of a balance at a price above the highest', spike, ['price_high']],
    ['a gateway whose requests all lack the secret', refused(1, 0), ['gateway_refused']],
    ['nothing of strangers beside what a gateway delivers', refused(1, 2), []],
    ['a gateway of which most requests are refused', refused(2, 2), ['gateway_refused']],
    ['nothing of a rate that is accepted', conditionWith({ rate }), []],
    ['events that wait for an hour', conditionWith(waitingFor(3_600_000)), ['events_untold']],
    ['nothing of events that wait for less', conditionWith(waitingFor(3_599_999)), []],
    ['a rate that is refused', conditionWith({ rate: refusedRate }), ['rate_jump']],
    ['nothing of a budget below 80 %', used(40), []],
    ['a budget from 80 % on', used(41), ['budget']],
  ])('tell of %s', ([, known, alerts]) => {
    expect(namesOf(known)).toEqual(alerts)
  })

  test('report a node with unknown headers within an hour', () => {
    const height = { height: 1, heightAt: null, heightSince: null }
    const node = { label: 'node 2', state: 'able', ...height } as const
    const counts = { p95Ms: 1, answers: 1, failures: 0, believed: 1, callsToday: 1 }
    const named = (ageMs: number) => {
      const unknownHeaderAt = new Date(now - ageMs).toISOString()
      const nodes = () => [{ ...node, ...counts, unknownHeaderAt }]
      return findAlerts(conditionWith(), { ...subject, nodes }).map(({ name }) => name)
    }
    expect(named(3_599_999)).toEqual(['unknown_header'])
    expect(named(3_600_000)).toEqual([])
  })

  test("name a relayer's top-up, and what waits since when", () => {
    const waiting = { waiting: 3, oldest: { ...noneOpen, waiting: now - 60_000 } }
    expect(saysOf(conditionWith(waiting, { balanceWei: { value: 0n, at: now } }))).toEqual([
      `Relayer ${subject.relayer()} has 0 tRBTC, enough for 0 payments at today's price; 3 payments have waited since 2023-11-14T22:12:20.000Z. Top up to 0.00084 for 50 payments (0.01335 at the highest price: \`npm run ops -- relayers top-up 0.01335\`). Waiting payments are kept.`,
    ])
  })

  test.for<
    [
      what: string,
      changes: Partial<NonNullable<Vitals['front']>>,
      observations: object,
      says: RegExp,
    ]
  >([
    [
      'a node that dropped what it took',
      {},
      { poolNonce: { value: 7, at: now } },
      /: the node accepted it, and does not have it in its pool\..*NODE_URL\.$/,
    ],
    [
      'a node that takes nothing',
      { failures: 4 },
      { poolNonce: { value: 7, at: now } },
      /did not accept it in the last 4 attempts, and .*does not have it in its pool\..*NODE_URL\.$/,
    ],
    [
      'a count of the pool from before it was signed, which tells nothing of it',
      {},
      { poolNonce: { value: 7, at: now - lateMs } },
      /not known whether the node has it.*`npm run ops -- outbid 7`.*NODE_URL\.$/,
    ],
    [
      'a nonce that is priced too low',
      {},
      { poolNonce: { value: 8, at: now } },
      /at 100000000 wei, and the node has it in its pool\..*outbid it: `npm run ops -- outbid 7`/,
    ],
    [
      'one that the highest price does not outbid',
      { gasPriceWei: `${10n * todaysWei}` },
      { poolNonce: { value: 8, at: now } },
      /outbidding it costs more than MAX_GAS_PRICE_WEI\. Raise that, then .*outbid 7`\.$/,
    ],
    [
      'a price above the highest one',
      {},
      { poolNonce: { value: 7, at: now }, gasPriceWei: { value: 2_000_000_000n, at: now } },
      /: a node asks 2000000000 wei, above MAX_GAS_PRICE_WEI\. Raise that, or wait\.$/,
    ],
  ])('tell which nonce is stuck, why, and what fits: %s', ([, changes, observations, says]) => {
    const front = { ...frontSince(now - lateMs), ...changes }
    const stuck = findAlerts(conditionWith({ front }, observations), subject).find(
      ({ name }) => name === 'stuck',
    )
    expect(stuck?.says).toMatch(/^Nonce 7 has waited for a block since 2023-11-14T21:58:20\.000Z/)
    expect(stuck?.says).toMatch(says)
  })

  test('name the failed health check with its remedy', () => {
    const identity = { kind: 'different' as const, names: ['ACCOUNT_KEY_SECRET'] }
    const contracts = { state: 'not_allowed' as const, at: now }
    const gasPriceWei = { value: 2_000_000_000n, at: now }
    const seen = { ...failing, silentSince: now - 70_000, contracts, gasPriceWei }
    const bad = conditionWith({ identity }, seen)
    expect(namesOf(bad)).toEqual([
      ...['identity', 'node_down', 'contracts', 'price_high', 'round_late'],
    ])
    for (const says of saysOf(bad)) expect(says).toMatch(/^[A-Z].+\. [A-Z].+\.$/)
  })
})
