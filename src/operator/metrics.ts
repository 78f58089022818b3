import { listCurrentAlerts } from './alerting/alerts.ts'
import { countAffordable, getBlockTime, type KnownHealthData, runChecks } from './health.ts'
import type { Deployment } from './records.ts'
import { alertNames } from './schemas/alerts.ts'
import { version } from './version.ts'

type Labels = Readonly<Record<string, string>>
type Sample = { value: number | string | undefined; labels?: Labels | undefined }
type Metric = { help: string; read: (readings: Readings) => readonly Sample[] }

const smsFates = ['sent', 'unknown', 'refused', 'known', 'later', 'given_up'] as const

/** Holds one value of a metric; undefined if it is not known. */
const toSample = (value: Sample['value'], labels?: Labels): Sample => ({ value, labels })

/** Maps each metric to its help text and its samples. A name that ends in `_total` never falls. */
const metrics: Record<string, Metric> = {
  relay_build_info: {
    help: '1, by the version that answers and the schema of its ledger',
    read: ({ schema }) => [toSample(1, { version, schema })],
  },
  relay_check_failing: {
    help: '1 while a check of health fails',
    read: ({ checks }) =>
      checks.map(({ name, state }) => toSample(toBit(state === 'failing'), { check: name })),
  },
  relay_alert_active: {
    help: '1 while an alert is raised',
    read: ({ raisedNames }) =>
      alertNames.map((name) => toSample(toBit(raisedNames.includes(name)), { name })),
  },
  relay_payments_refused: {
    help: '1 while this check of health refuses new payments',
    read: ({ checks }) =>
      checks.map(({ name, refuses }) => toSample(toBit(refuses), { check: name })),
  },
  relay_intake_open: {
    help: '1 while new payments are accepted',
    read: (readings) => [toSample(toBit(readings.intake.kind === 'open'))],
  },
  relay_round_age_seconds: {
    help: 'time since the last round ended',
    read: (readings) => [toSample(readings.getAgeSeconds(readings.observations.roundAt))],
  },
  relay_upstream_calls_today: {
    help: 'calls to the nodes in this day (UTC)',
    read: ({ budget }) =>
      (['relay', 'callers'] as const).map((asker) =>
        toSample(budget?.callsToday[asker], { asker }),
      ),
  },
  relay_upstream_calls_limit: {
    help: 'limit of the calls to the nodes in a day (UTC)',
    read: (readings) => [toSample(readings.budget?.callsADay)],
  },
  relay_relayer_balance_wei: {
    help: 'balance of the relayer, which pays for gas',
    read: (readings) => [
      toSample(readings.observations.balanceWei?.value.toString(), readings.relayerLabel),
    ],
  },
  relay_relayer_payments_left: {
    help: "payments that the relayer's balance pays for at today's price",
    read: (readings) => [toSample(readings.affordable?.atCurrentPrice, readings.relayerLabel)],
  },
  relay_relayer_payments_at_worst: {
    help: "payments that the relayer's balance pays for at the highest price, which limits the open ones",
    read: (readings) => [toSample(readings.affordable?.atHighestPrice, readings.relayerLabel)],
  },
  relay_relayer_next_nonce: {
    help: 'next nonce of the relayer in the ledger',
    read: (readings) => [toSample(readings.nextNonce, readings.relayerLabel)],
  },
  relay_relayer_in_flight: {
    help: 'payments in transactions that are not mined',
    read: (readings) => [toSample(readings.carried, readings.relayerLabel)],
  },
  relay_gas_price_wei: {
    help: 'gas price that a node reports',
    read: (readings) => [toSample(readings.observations.gasPriceWei?.value.toString())],
  },
  relay_payment_events_total: {
    help: 'events of payments since the ledger began, by kind',
    read: ({ events }) =>
      events
        .filter(({ kind }) => kind !== 'refused' && kind !== 'sms' && kind !== 'gateway')
        .map(({ kind, event, count }) => toSample(count, { kind, event })),
  },
  relay_refusals_total: {
    help: 'sessions without a payment, by reason; own: the caller asked for none',
    read: ({ events }) =>
      events
        .filter(({ kind }) => kind === 'refused')
        .map(({ event, count }) => toSample(count, { reason: event })),
  },
  relay_gateway_requests_total: {
    help: 'requests of each gateway, by outcome: deliveries, replies, bad requests, wrong secrets',
    read: ({ events }) =>
      events
        .filter(({ kind }) => kind === 'gateway')
        .map(({ event: name, count }) => {
          const [gateway = '', event = ''] = name.split('/')
          return toSample(count, { gateway, event })
        }),
  },
  relay_sms_total: {
    help: 'messages to phones, by outcome; later: postponed and tried again',
    read: ({ counts }) => smsFates.map((fate) => toSample(counts[`sms.${fate}`] ?? 0, { fate })),
  },
  relay_payments_waiting: {
    help: 'payments that wait for a nonce',
    read: (readings) => [toSample(readings.waiting)],
  },
  relay_oldest_payment_age_seconds: {
    help: 'age of the oldest unsettled payment in each phase; 0 without one',
    read: ({ oldest, now, getAgeSeconds }) =>
      Object.entries(oldest).map(([phase, at]) => toSample(getAgeSeconds(at ?? now), { phase })),
  },
  relay_head_number: {
    help: 'number of the latest block that a round read',
    read: (readings) => [toSample(readings.observations.head?.number)],
  },
  relay_head_age_seconds: {
    help: "since that block's timestamp, or since a round first read it",
    read: ({ observations: { head }, getAgeSeconds }) => [
      toSample(getAgeSeconds(head && getBlockTime(head))),
    ],
  },
  relay_block_fullness_ratio: {
    help: 'used share of the gas limit of the last followed block',
    read: ({ blocks }) => [toSample(blocks[0]?.fullness)],
  },
  relay_node_silent_seconds: {
    help: 'time since a node last answered; 0 while one answers',
    read: ({ observations, now, getAgeSeconds }) => [
      toSample(getAgeSeconds(observations.silentSince ?? now)),
    ],
  },
  relay_node_calls_total: {
    help: 'calls to each node since this process began, by method',
    read: ({ nodes }) => nodes.map(({ node, method, calls }) => toSample(calls, { node, method })),
  },
  relay_node_seconds_total: {
    help: 'total time of those calls',
    read: ({ nodes }) =>
      nodes.map(({ node, method, tookMs }) => toSample(tookMs / 1_000, { node, method })),
  },
  relay_node_believed_total: {
    help: 'answers of each node without a proof',
    read: ({ deployment }) =>
      deployment.nodes().map(({ label, believed }) => toSample(believed, { node: label })),
  },
  relay_pool_liquidity_wei: {
    help: 'wei that the pool can lend',
    read: ({ pool }) => [toSample(pool?.liquidityWei)],
  },
  relay_pool_cap_left_wei: {
    help: 'wei that the daily cap still allows to lend',
    read: ({ pool }) => [toSample(pool?.issuableWei)],
  },
  relay_pool_owed_wei: {
    help: 'wei that borrowers owe',
    read: ({ pool }) => [toSample(pool?.owedWei)],
  },
  relay_pool_balances_wei: {
    help: 'wei that accounts hold',
    read: ({ pool }) => [toSample(pool?.balancesWei)],
  },
  relay_loan_paused: {
    help: '1 while the loan contract is paused',
    read: ({ observations: { contracts } }) => [
      toSample(contracts && toBit(contracts.state === 'loan_paused')),
    ],
  },
}

type Readings = ReturnType<typeof collectReadings>

function collectReadings(deployment: Deployment, healthData: KnownHealthData) {
  const { vitals, budget, terms } = healthData
  const alerts = listCurrentAlerts(healthData, deployment).filter(
    ({ calmSince }) => calmSince === undefined,
  )
  return {
    ...vitals,
    budget,
    checks: runChecks(healthData),
    relayerLabel: { relayer: deployment.relayer() },
    raisedNames: alerts.map(({ name }) => name),
    affordable: countAffordable(vitals, terms),
    deployment,
    nodes: deployment
      .nodes()
      .flatMap(({ label, methods }) => methods.map((calls) => ({ node: label, ...calls }))),
    pool: vitals.observations.contracts?.pool,
    events: Object.entries(vitals.counts).map(([name, count]) => {
      const [kind = '', event = ''] = name.split('.')
      return { kind, event, count }
    }),
    getAgeSeconds: (at: number | undefined) =>
      at === undefined ? undefined : Math.max(0, (vitals.now - at) / 1_000),
  }
}

/** Writes the metrics in Prometheus' text format (version 0.0.4), without asking a node. */
export function writeMetrics(deployment: Deployment, healthData: KnownHealthData): string {
  const readings = collectReadings(deployment, healthData)
  return Object.entries(metrics)
    .map(([name, { help, read }]) => {
      const type = name.endsWith('_total') ? 'counter' : 'gauge'
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${read(readings).map(formatSample(name)).join('')}`
    })
    .join('')
}

/** Writes a sample; nothing if its value is not known yet. */
const formatSample =
  (name: string) =>
  ({ value, labels = {} }: Sample): string => {
    const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`)
    const label = pairs.length === 0 ? '' : `{${pairs.join()}}`
    return value === undefined ? '' : `${name}${label} ${value}\n`
  }

const toBit = (isTrue: boolean | undefined): number => (isTrue ? 1 : 0)

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
