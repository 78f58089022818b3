import { listCurrentAlerts } from './alerting/alerts.ts'
import { countAffordable, getBlockTime, type KnownHealthData, runChecks } from './health.ts'
import type { Deployment } from './records.ts'
import { alertNames } from './schemas/alerts.ts'
import { version } from './version.ts'

type Labels = Readonly<Record<string, string>>
type Value = number | string | undefined
type Sample = readonly [value: Value, labels?: Labels]

/** Has the help text of a metric, and reads its value or its samples; undefined if not known. */
type Metric = readonly [help: string, read: (readings: Readings) => Value | readonly Sample[]]

const smsFates = ['sent', 'unknown', 'refused', 'known', 'later', 'given_up'] as const

/** Lists the metrics by name. One whose name ends in `_total` never falls. */
const metrics: Record<string, Metric> = {
  relay_build_info: [
    '1, by the version that answers and the schema of its ledger',
    ({ schema }) => [[1, { version, schema }]],
  ],
  relay_check_failing: [
    '1 while a check of health fails',
    ({ checks }) => checks.map(({ name, state }) => [toBit(state === 'failing'), { check: name }]),
  ],
  relay_alert_active: [
    '1 while an alert is raised',
    ({ raisedNames }) => alertNames.map((name) => [toBit(raisedNames.includes(name)), { name }]),
  ],
  relay_payments_refused: [
    '1 while this check of health refuses new payments',
    ({ checks }) => checks.map(({ name, refuses }) => [toBit(refuses), { check: name }]),
  ],
  relay_intake_open: [
    '1 while new payments are accepted',
    ({ intake }) => toBit(intake.kind === 'open'),
  ],
  relay_upstream_calls_today: [
    'calls to the nodes in this day (UTC)',
    ({ budget }) =>
      (['relay', 'callers'] as const).map((asker) => [budget?.callsToday[asker], { asker }]),
  ],
  relay_upstream_calls_limit: [
    'limit of the calls to the nodes in a day (UTC)',
    ({ budget }) => budget?.callsADay,
  ],
  relay_relayer_balance_wei: [
    'balance of the relayer, which pays for gas',
    ({ observations, relayerLabel }) => [[observations.balanceWei?.value.toString(), relayerLabel]],
  ],
  relay_relayer_payments_left: [
    "payments that the relayer's balance pays for at today's price",
    ({ affordable, relayerLabel }) => [[affordable?.atCurrentPrice, relayerLabel]],
  ],
  relay_relayer_payments_at_worst: [
    "payments that the relayer's balance pays for at the highest price, which limits the open ones",
    ({ affordable, relayerLabel }) => [[affordable?.atHighestPrice, relayerLabel]],
  ],
  relay_relayer_in_flight: [
    'payments in transactions that are not mined',
    ({ carried, relayerLabel }) => [[carried, relayerLabel]],
  ],
  relay_gas_price_wei: [
    'gas price that a node reports',
    ({ observations }) => observations.gasPriceWei?.value.toString(),
  ],
  relay_payment_events_total: [
    'events of payments since the ledger began, by kind',
    ({ events }) =>
      events
        .filter(({ kind }) => kind !== 'refused' && kind !== 'sms' && kind !== 'gateway')
        .map(({ kind, event, count }) => [count, { kind, event }]),
  ],
  relay_refusals_total: [
    'sessions without a payment, by reason; own: none was asked for; cut_off: a later dial goes on',
    ({ listEvents }) => listEvents('refused').map(({ event, count }) => [count, { reason: event }]),
  ],
  relay_gateway_requests_total: [
    'requests of each gateway, by outcome: deliveries, replies, bad requests, wrong secrets',
    ({ listEvents }) =>
      listEvents('gateway').map(({ event: name, count }) => {
        const [gateway = '', event = ''] = name.split('/')
        return [count, { gateway, event }]
      }),
  ],
  relay_sms_total: [
    'messages to phones, by outcome; later: postponed and tried again',
    ({ counts }) => smsFates.map((fate) => [counts[`sms.${fate}`] ?? 0, { fate }]),
  ],
  relay_payments_waiting: ['payments that wait for a nonce', ({ waiting }) => waiting],
  relay_oldest_payment_age_seconds: [
    'age of the oldest unsettled payment in each phase; 0 without one',
    ({ oldest, now, getAgeSeconds }) =>
      Object.entries(oldest).map(([phase, at]) => [getAgeSeconds(at ?? now), { phase }]),
  ],
  relay_head_age_seconds: [
    "since that block's timestamp, or since a round first read it",
    ({ observations: { head }, getAgeSeconds }) => getAgeSeconds(head && getBlockTime(head)),
  ],
  relay_block_fullness_ratio: [
    'used share of the gas limit of the last followed block',
    ({ blocks }) => blocks[0]?.fullness,
  ],
  relay_node_silent_seconds: [
    'time since a node last answered; 0 while one answers',
    ({ observations, now, getAgeSeconds }) => getAgeSeconds(observations.silentSince ?? now),
  ],
  relay_pool_liquidity_wei: ['wei that the pool can lend', ({ pool }) => pool?.liquidityWei],
  relay_pool_cap_left_wei: [
    'wei that the daily cap still allows to lend',
    ({ pool }) => pool?.issuableWei,
  ],
  relay_pool_owed_wei: ['wei that borrowers owe', ({ pool }) => pool?.owedWei],
  relay_pool_balances_wei: ['wei that accounts hold', ({ pool }) => pool?.balancesWei],
}

/** Names a metric of the pool by what a pool over a token counts, which is not wei. */
const nameInMillionths = ([name, [help, read]]: [string, Metric]): [string, Metric] =>
  name.startsWith('relay_pool_')
    ? [name.replace(/_wei$/, '_millionths'), [help.replace(/^wei/, 'millionths of a token'), read]]
    : [name, [help, read]]

type Readings = ReturnType<typeof collectReadings>

function collectReadings(deployment: Deployment, healthData: KnownHealthData) {
  const { vitals, budget, terms } = healthData
  const alerts = listCurrentAlerts(healthData, deployment).filter(
    ({ calmSince }) => calmSince === undefined,
  )
  const events = Object.entries(vitals.counts).map(([name, count]) => {
    const [kind = '', event = ''] = name.split('.')
    return { kind, event, count }
  })
  return {
    ...vitals,
    budget,
    checks: runChecks(healthData),
    relayerLabel: { relayer: deployment.relayer() },
    raisedNames: alerts.map(({ name }) => name),
    affordable: countAffordable(vitals, terms),
    pool: vitals.observations.contracts?.pool,
    events,
    listEvents: (name: string) => events.filter(({ kind }) => kind === name),
    getAgeSeconds: (at: number | undefined) =>
      at === undefined ? undefined : Math.max(0, (vitals.now - at) / 1_000),
  }
}

/** Writes the metrics in Prometheus' text format (version 0.0.4), without asking a node. */
export function writeMetrics(deployment: Deployment, healthData: KnownHealthData): string {
  const readings = collectReadings(deployment, healthData)
  return Object.entries(metrics)
    .map(deployment.unit.token === null ? (metric) => metric : nameInMillionths)
    .map(([name, [help, read]]) => {
      const type = name.endsWith('_total') ? 'counter' : 'gauge'
      const found = read(readings)
      const samples: readonly Sample[] = typeof found === 'object' ? found : [[found]]
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(formatSample(name)).join('')}`
    })
    .join('')
}

/** Writes a sample; nothing if its value is not known yet. */
const formatSample =
  (name: string) =>
  ([value, labels = {}]: Sample): string => {
    const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`)
    const label = pairs.length === 0 ? '' : `{${pairs.join()}}`
    return value === undefined ? '' : `${name}${label} ${value}\n`
  }

const toBit = (isTrue: boolean | undefined): number => (isTrue ? 1 : 0)

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
