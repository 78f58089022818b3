import { alertsNow } from './alerting/alerts.ts'
import { alertNames } from './answers.ts'
import { countAffordable, findBlockTime, type KnownCondition, runChecks } from './health.ts'
import type { Subject } from './records.ts'
import { version } from './version.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [value: number | string | undefined, labels?: Labels]

const smsFates = ['sent', 'unknown', 'refused', 'known', 'later', 'given_up'] as const

/** Maps each metric to its help text and its reading; `_total` names never reset. */
const metrics: Record<string, readonly [help: string, read: (of: Known) => readonly Sample[]]> = {
  relay_build_info: [
    '1, by the version that answers and the schema of its ledger',
    ({ schema }) => [[1, { version, schema }]],
  ],
  relay_check_failing: [
    '1 while a check of health fails',
    ({ checks }) => checks.map(({ name, state }) => [bit(state === 'failing'), { check: name }]),
  ],
  relay_alert_active: [
    '1 while an alert is raised',
    ({ raised }) => alertNames.map((name) => [bit(raised.includes(name)), { name }]),
  ],
  relay_payments_refused: [
    '1 while new payments are refused for what a check of health finds',
    ({ checks }) => checks.map(({ name, refuses }) => [bit(refuses), { check: name }]),
  ],
  relay_intake_open: ['1 while new payments are taken', (of) => [[bit(of.intake.kind === 'open')]]],
  relay_round_age_seconds: [
    'since the last round ended',
    (of) => [[of.age(of.observations.roundAt)]],
  ],
  relay_upstream_calls_today: [
    'calls to the nodes in this day (UTC)',
    ({ budget }) =>
      (['relay', 'callers'] as const).map((asker) => [budget?.asked[asker], { asker }]),
  ],
  relay_upstream_calls_limit: ['calls that a day may have', (of) => [[of.budget?.callsADay]]],
  relay_relayer_balance_wei: [
    'of the key that pays for gas',
    (of) => [[of.observations.funds?.wei, of.own]],
  ],
  relay_relayer_payments_left: [
    "payments that the balance lasts for at today's price",
    (of) => [[of.left?.today, of.own]],
  ],
  relay_relayer_payments_at_worst: [
    'payments that it pays for at the highest price that each may come to: so many may be open',
    (of) => [[of.left?.atWorst, of.own]],
  ],
  relay_relayer_next_nonce: ['as the ledger counts', (of) => [[of.nextNonce, of.own]]],
  relay_relayer_in_flight: [
    'payments of transactions that no block has',
    (of) => [[of.carried, of.own]],
  ],
  relay_gas_price_wei: ['as a node tells it', (of) => [[of.observations.gasPrice?.wei]]],
  relay_payment_events_total: [
    'what happened to payments since the ledger was begun',
    ({ events }) =>
      events
        .filter(({ kind }) => kind !== 'refused' && kind !== 'sms' && kind !== 'gateway')
        .map(({ kind, event, count }) => [count, { kind, event }]),
  ],
  relay_refusals_total: [
    'sessions that paid nothing, by reason; own: they asked for no payment',
    ({ events }) =>
      events
        .filter(({ kind }) => kind === 'refused')
        .map(({ event, count }) => [count, { reason: event }]),
  ],
  relay_gateway_requests_total: [
    'what came of requests of each gateway: deliveries, replies to them, bad ones, wrong secrets',
    ({ events }) =>
      events
        .filter(({ kind }) => kind === 'gateway')
        .map(({ event: name, count }) => {
          const [gateway = '', event = ''] = name.split('/')
          return [count, { gateway, event }]
        }),
  ],
  relay_sms_total: [
    'what became of messages to phones; later: put off, and tried again',
    ({ counts }) => smsFates.map((fate) => [counts[`sms.${fate}`] ?? 0, { fate }]),
  ],
  relay_payments_waiting: ['payments that wait for a nonce', (of) => [[of.waiting]]],
  relay_oldest_payment_age_seconds: [
    'of the oldest payment in each phase that is not settled; 0 where all are',
    ({ oldest, now, age }) =>
      Object.entries(oldest).map(([phase, at]) => [age(at ?? now), { phase }]),
  ],
  relay_head_number: [
    'the latest block that a round saw',
    (of) => [[of.observations.head?.number]],
  ],
  relay_head_age_seconds: [
    "since that block's own time, or since it was first seen",
    ({ observations: { head }, age }) => [[age(head && findBlockTime(head))]],
  ],
  relay_block_fullness_ratio: [
    'which share of its gas the last followed block used',
    ({ blocks }) => [[blocks[0]?.fullness]],
  ],
  relay_node_silent_seconds: [
    'since when no node answers; 0 while one does',
    ({ observations: sight, now, age }) => [[age(sight.silentSince ?? now)]],
  ],
  relay_node_calls_total: [
    'questions to each node since this process began, by method',
    ({ nodes }) => nodes.map(({ node, method, calls }) => [calls, { node, method }]),
  ],
  relay_node_seconds_total: [
    'how long their answers took in all',
    ({ nodes }) => nodes.map(({ node, method, tookMs }) => [tookMs / 1_000, { node, method }]),
  ],
  relay_node_believed_total: [
    'answers of each node that nothing proves',
    ({ subject }) => subject.nodes().map(({ label, believed }) => [believed, { node: label }]),
  ],
  relay_pool_liquidity_wei: ['what can be lent', ({ pool }) => [[pool?.liquidityWei]]],
  relay_pool_cap_left_wei: ['what the daily cap leaves', ({ pool }) => [[pool?.issuableWei]]],
  relay_pool_owed_wei: ['what borrowers owe', ({ pool }) => [[pool?.owedWei]]],
  relay_pool_balances_wei: ['what accounts have', ({ pool }) => [[pool?.balancesWei]]],
  relay_loan_paused: [
    '1 while the loan contract is paused',
    ({ observations: { contracts } }) => [[contracts && bit(contracts.state === 'loan_paused')]],
  ],
}

type Known = ReturnType<typeof readFrom>

function readFrom(subject: Subject, known: KnownCondition) {
  const { vitals, budget, terms } = known
  const alerts = alertsNow(known, subject).filter(({ calmSince }) => calmSince === undefined)
  return {
    ...{ ...vitals, budget, checks: runChecks(known), own: { relayer: subject.relayer() } },
    raised: alerts.map(({ name }) => name),
    left: countAffordable(vitals, terms),
    subject,
    nodes: subject
      .nodes()
      .flatMap(({ label, methods }) => methods.map((one) => ({ node: label, ...one }))),
    pool: vitals.observations.contracts?.pool,
    events: Object.entries(vitals.counts).map(([name, count]) => {
      const [kind = '', event = ''] = name.split('.')
      return { kind, event, count }
    }),
    age: (at: number | undefined) =>
      at === undefined ? undefined : Math.max(0, (vitals.now - at) / 1_000),
  }
}

/** Writes the metrics in Prometheus' text format (version 0.0.4), without asking a node. */
export function writeMetrics(subject: Subject, condition: KnownCondition): string {
  const known = readFrom(subject, condition)
  return Object.entries(metrics)
    .map(([name, [help, read]]) => {
      const type = name.endsWith('_total') ? 'counter' : 'gauge'
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${read(known).map(writeLine(name)).join('')}`
    })
    .join('')
}

/** Writes a sample; nothing if its value is not known yet. */
const writeLine =
  (name: string) =>
  ([value, labels = {}]: Sample): string => {
    const told = Object.entries(labels).map(([key, one]) => `${key}="${escaped(one)}"`)
    const label = told.length === 0 ? '' : `{${told.join()}}`
    return value === undefined ? '' : `${name}${label} ${value}\n`
  }

const bit = (isSo: boolean | undefined): number => (isSo ? 1 : 0)

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
