import type { Vitals } from '../relay/ledger/port.ts'
import { alertsNow } from './alerting/alerts.ts'
import { alertNames } from './answers.ts'
import { bornAt, type Condition, checksOf, paymentsLeft } from './health.ts'
import type { Subject } from './records.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [value: number | string | undefined, labels?: Labels]

type Metric = {
  name: string
  type: 'gauge' | 'counter'
  help: string
  samples: readonly Sample[]
}

type Known = Condition & { vitals: Vitals }

/**
 * What the ledger has, in Prometheus' text format (version 0.0.4). Nothing is counted in a process:
 * isolates come and go, and each scrape may meet another one. No node is asked.
 */
export function metricsOf(subject: Subject, known: Known): string {
  const metrics = [
    ...serviceMetrics(subject, known),
    ...relayerMetrics(subject, known),
    ...paymentMetrics(known),
    ...chainMetrics(known),
  ]
  return metrics.map(textOf).join('')
}

function serviceMetrics(subject: Subject, known: Known): Metric[] {
  const { vitals, budget } = known
  const { intake, now, sight } = vitals
  const checks = checksOf(known)
  const alerts = alertsNow(known, subject).filter(({ calmSince }) => calmSince === undefined)
  return [
    gauge(
      'relay_check_failing',
      '1 while a check of health fails',
      checks.map(({ name, state }) => [state === 'failing' ? 1 : 0, { check: name }]),
    ),
    gauge(
      'relay_alert_active',
      '1 while an alert is raised',
      alertNames.map((name) => [alerts.some((one) => one.name === name) ? 1 : 0, { name }]),
    ),
    gauge(
      'relay_payments_refused',
      '1 while new payments are refused for what a check of health finds',
      checks.map(({ name, refuses }) => [refuses ? 1 : 0, { check: name }]),
    ),
    gauge('relay_intake_open', '1 while new payments are taken', [
      [intake.kind === 'open' ? 1 : 0],
    ]),
    gauge('relay_round_age_seconds', 'since the last round ended', [ageOf(sight.roundAt, now)]),
    gauge(
      'relay_upstream_calls_today',
      'calls to the nodes in this day (UTC)',
      budget === undefined
        ? []
        : [
            [budget.asked.relay, { asker: 'relay' }],
            [budget.asked.callers, { asker: 'callers' }],
          ],
    ),
    gauge('relay_upstream_calls_limit', 'calls that a day may have', [[budget?.callsADay]]),
  ]
}

function relayerMetrics({ relayer }: Subject, { vitals, terms }: Known): Metric[] {
  const { sight, nextNonce, carried } = vitals
  const own = { relayer: relayer() }
  return [
    gauge('relay_relayer_balance_wei', 'of the key that pays for gas', [[sight.funds?.wei, own]]),
    gauge(
      'relay_relayer_payments_left',
      'payments that the balance pays for, at the highest price that each may come to',
      [[paymentsLeft(vitals, terms), own]],
    ),
    gauge('relay_relayer_next_nonce', 'as the ledger counts', [[nextNonce, own]]),
    gauge('relay_relayer_in_flight', 'payments of transactions that no block has', [
      [carried, own],
    ]),
    gauge('relay_gas_price_wei', 'as a node tells it', [[sight.gasPrice?.wei]]),
  ]
}

function paymentMetrics({ vitals }: Known): Metric[] {
  const { counts, waiting, oldest, now } = vitals
  const named = Object.entries(counts).map(([name, value]) => {
    const [kind = '', event = ''] = name.split('.')
    return { kind, event, value }
  })
  const refusals = named.filter(({ kind }) => kind === 'refused')
  const events = named.filter(({ kind }) => kind !== 'refused' && kind !== 'sms')
  return [
    {
      name: 'relay_payment_events_total',
      type: 'counter',
      help: 'what happened to payments since the ledger was begun',
      samples: events.map(({ kind, event, value }) => [value, { kind, event }]),
    },
    {
      name: 'relay_refusals_total',
      type: 'counter',
      help: 'payments that were refused; own: they were to blame themselves',
      samples: refusals.map(({ event, value }) => [value, { reason: event }]),
    },
    {
      name: 'relay_sms_total',
      type: 'counter',
      help: 'what became of messages to phones; later: put off, and tried again',
      samples: smsFates.map((fate) => [counts[`sms.${fate}`] ?? 0, { fate }]),
    },
    gauge('relay_payments_waiting', 'payments that wait for a nonce', [[waiting]]),
    gauge(
      'relay_oldest_payment_age_seconds',
      'of the oldest payment in each phase that is not settled; 0 where all are',
      Object.entries(oldest).map(([phase, at]) => [ageOf(at ?? now, now)[0], { phase }]),
    ),
  ]
}

/** What is counted of messages to phones. */
const smsFates = ['sent', 'unknown', 'refused', 'known', 'later', 'given_up'] as const

function chainMetrics({ vitals }: Known): Metric[] {
  const { sight, now } = vitals
  const { head, contracts } = sight
  const pool = contracts?.pool
  const pause = contracts && Number(contracts.state === 'loan_paused')
  return [
    gauge('relay_head_number', 'the latest block that a round saw', [[head?.number]]),
    gauge('relay_head_age_seconds', "since that block's own time, or since it was first seen", [
      ageOf(head && bornAt(head), now),
    ]),
    gauge('relay_node_silent_seconds', 'since when no node answers; 0 while one does', [
      ageOf(sight.silentSince ?? now, now),
    ]),
    gauge('relay_pool_liquidity_wei', 'what can be lent', [[pool?.liquidityWei]]),
    gauge('relay_pool_cap_left_wei', 'what the daily cap leaves', [[pool?.issuableWei]]),
    gauge('relay_pool_owed_wei', 'what borrowers owe', [[pool?.owedWei]]),
    gauge('relay_pool_balances_wei', 'what accounts have', [[pool?.balancesWei]]),
    gauge('relay_loan_paused', '1 while the loan contract is paused', [[pause]]),
  ]
}

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
})

const ageOf = (at: number | undefined, now: number): readonly [number | undefined] => [
  at === undefined ? undefined : Math.max(0, (now - at) / 1_000),
]

/** A metric of which nothing is known yet is told without a sample. */
function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.flatMap(([value, labels]) => {
    if (value === undefined) return []
    const told = Object.entries(labels ?? {}).map(([key, one]) => `${key}="${escaped(one)}"`)
    return [`${name}${told.length === 0 ? '' : `{${told.join()}}`} ${value}\n`]
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
