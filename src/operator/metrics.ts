import { alertsNow } from './alerting/alerts.ts'
import { alertNames } from './answers.ts'
import { bornAt, checksOf, type KnownCondition, paymentsLeft } from './health.ts'
import type { Subject } from './records.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [value: number | string | undefined, labels?: Labels]
/** Counts for ever where its name ends in `_total`, else goes up and down. */
type Metric = readonly [name: string, help: string, samples: readonly Sample[]]

/** Tells what the ledger has, in Prometheus' text format (version 0.0.4). No node is asked. */
export function metricsOf(subject: Subject, known: KnownCondition): string {
  const metrics = [
    ...serviceMetrics(subject, known),
    ...relayerMetrics(subject, known),
    ...paymentMetrics(known),
    ...chainMetrics(known),
  ]
  return metrics.map(textOf).join('')
}

const askers = ['relay', 'callers'] as const

function serviceMetrics(subject: Subject, known: KnownCondition): Metric[] {
  const { vitals, budget } = known
  const { intake, now, sight } = vitals
  const checks = checksOf(known)
  const alerts = alertsNow(known, subject).filter(({ calmSince }) => calmSince === undefined)
  return [
    [
      'relay_check_failing',
      '1 while a check of health fails',
      checks.map(({ name, state }) => [state === 'failing' ? 1 : 0, { check: name }]),
    ],
    [
      'relay_alert_active',
      '1 while an alert is raised',
      alertNames.map((name) => [alerts.some((one) => one.name === name) ? 1 : 0, { name }]),
    ],
    [
      'relay_payments_refused',
      '1 while new payments are refused for what a check of health finds',
      checks.map(({ name, refuses }) => [refuses ? 1 : 0, { check: name }]),
    ],
    ['relay_intake_open', '1 while new payments are taken', [[intake.kind === 'open' ? 1 : 0]]],
    ['relay_round_age_seconds', 'since the last round ended', [[ageOf(sight.roundAt, now)]]],
    [
      'relay_upstream_calls_today',
      'calls to the nodes in this day (UTC)',
      budget ? askers.map((asker) => [budget.asked[asker], { asker }]) : [],
    ],
    ['relay_upstream_calls_limit', 'calls that a day may have', [[budget?.callsADay]]],
  ]
}

function relayerMetrics({ relayer }: Subject, { vitals, terms }: KnownCondition): Metric[] {
  const { sight, nextNonce, carried } = vitals
  const own = { relayer: relayer() }
  return [
    ['relay_relayer_balance_wei', 'of the key that pays for gas', [[sight.funds?.wei, own]]],
    [
      'relay_relayer_payments_left',
      'payments that the balance pays for, at the highest price that each may come to',
      [[paymentsLeft(vitals, terms), own]],
    ],
    ['relay_relayer_next_nonce', 'as the ledger counts', [[nextNonce, own]]],
    ['relay_relayer_in_flight', 'payments of transactions that no block has', [[carried, own]]],
    ['relay_gas_price_wei', 'as a node tells it', [[sight.gasPrice?.wei]]],
  ]
}

/** Names what is counted of messages to phones. */
const smsFates = ['sent', 'unknown', 'refused', 'known', 'later', 'given_up'] as const

function paymentMetrics({ vitals }: KnownCondition): Metric[] {
  const { counts, waiting, oldest, now } = vitals
  const named = Object.entries(counts).map(([name, value]) => {
    const [kind = '', event = ''] = name.split('.')
    return { kind, event, value }
  })
  const refusals = named.filter(({ kind }) => kind === 'refused')
  const events = named.filter(({ kind }) => kind !== 'refused' && kind !== 'sms')
  return [
    [
      'relay_payment_events_total',
      'what happened to payments since the ledger was begun',
      events.map(({ kind, event, value }) => [value, { kind, event }]),
    ],
    [
      'relay_refusals_total',
      'payments that were refused; own: they were to blame themselves',
      refusals.map(({ event, value }) => [value, { reason: event }]),
    ],
    [
      'relay_sms_total',
      'what became of messages to phones; later: put off, and tried again',
      smsFates.map((fate) => [counts[`sms.${fate}`] ?? 0, { fate }]),
    ],
    ['relay_payments_waiting', 'payments that wait for a nonce', [[waiting]]],
    [
      'relay_oldest_payment_age_seconds',
      'of the oldest payment in each phase that is not settled; 0 where all are',
      Object.entries(oldest).map(([phase, at]) => [ageOf(at ?? now, now), { phase }]),
    ],
  ]
}

function chainMetrics({ vitals: { sight, now } }: KnownCondition): Metric[] {
  const { head, contracts } = sight
  const pool = contracts?.pool
  const pause = contracts && Number(contracts.state === 'loan_paused')
  return [
    ['relay_head_number', 'the latest block that a round saw', [[head?.number]]],
    [
      'relay_head_age_seconds',
      "since that block's own time, or since it was first seen",
      [[ageOf(head && bornAt(head), now)]],
    ],
    [
      'relay_node_silent_seconds',
      'since when no node answers; 0 while one does',
      [[ageOf(sight.silentSince ?? now, now)]],
    ],
    ['relay_pool_liquidity_wei', 'what can be lent', [[pool?.liquidityWei]]],
    ['relay_pool_cap_left_wei', 'what the daily cap leaves', [[pool?.issuableWei]]],
    ['relay_pool_owed_wei', 'what borrowers owe', [[pool?.owedWei]]],
    ['relay_pool_balances_wei', 'what accounts have', [[pool?.balancesWei]]],
    ['relay_loan_paused', '1 while the loan contract is paused', [[pause]]],
  ]
}

const ageOf = (at: number | undefined, now: number): number | undefined =>
  at === undefined ? undefined : Math.max(0, (now - at) / 1_000)

/** Writes a metric; without a sample, where nothing is known of it yet. */
function textOf([name, help, samples]: Metric): string {
  const type = name.endsWith('_total') ? 'counter' : 'gauge'
  const lines = samples.flatMap(([value, labels = {}]) => {
    if (value === undefined) return []
    const told = Object.entries(labels).map(([key, one]) => `${key}="${escaped(one)}"`)
    return [`${name}${told.length === 0 ? '' : `{${told.join()}}`} ${value}\n`]
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
