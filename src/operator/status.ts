import type { Intake, Vitals } from '../relay/ledger/port.ts'
import { undecidedPhases } from '../relay/ledger/transitions.ts'
import { alertsNow } from './alerting/alerts.ts'
import type { StatusAnswer } from './answers.ts'
import { countAffordable, findTopUp, judgeHealth, type KnownCondition } from './health.ts'
import { isoOrNull, type Subject, toAlert, toIso } from './records.ts'
import { version } from './version.ts'

/** Holds the relayer's nonce by chain and pool; null without an answer. */
export type Counts = { chain: number | null; pool: number | null }

/** Describes the intake; `isAnyOpen`: payments or nonces are unsettled. */
export function shownIntake(intake: Intake, isAnyOpen: boolean): StatusAnswer['intake'] {
  if (intake.kind === 'open') return { state: intake.kind }
  const isDrained = intake.kind === 'draining' && !isAnyOpen
  return { state: isDrained ? 'drained' : intake.kind, since: toIso(intake.since) }
}

export function describeStatus(
  subject: Subject,
  known: KnownCondition,
  counts: Counts,
): StatusAnswer {
  const { vitals, budget } = known
  const { chain, loan, forwarder } = subject
  const { head } = vitals.observations
  const isAnyOpen =
    vitals.carried > 0 || Object.values(vitals.oldest).some((at) => at !== undefined)
  return {
    now: toIso(vitals.now),
    version,
    schema: vitals.schema,
    network: chain.name,
    chainId: chain.id,
    currency: chain.currency,
    intake: shownIntake(vitals.intake, isAnyOpen),
    health: judgeHealth(known),
    alerts: alertsNow(known, subject).map(toAlert),
    relayers: [describeRelayer(subject, known, counts)],
    contracts: { loan, forwarder, ...describeContracts(vitals) },
    head: head ? { number: head.number, at: toIso(head.timestampSeconds * 1_000) } : null,
    blocks: vitals.blocks.map(({ number, fullness = null }) => ({ number, fullness })),
    guards: [...subject.guards],
    nodes: subject.nodes(),
    callsToday: budget === undefined ? null : { ...budget.asked, limit: budget.callsADay },
    counts: { ...vitals.counts },
    lately: { hour: describeHour(vitals.lately.hour), today: describeHour(vitals.lately.today) },
    gatewayFaults: Object.fromEntries(
      Object.entries(vitals.gatewayFaults).map(([name, at]) => [name, toIso(at)]),
    ),
  }
}

const describeHour = ({ since, counts }: Vitals['lately']['hour']) => ({
  since: toIso(since),
  counts: { ...counts },
})

function describeRelayer({ relayer }: Subject, { vitals, terms }: KnownCondition, counts: Counts) {
  const { observations: sight, oldest } = vitals
  const left = countAffordable(vitals, terms)
  const wanted = findTopUp(vitals, terms)
  const open = undecidedPhases.flatMap((phase) => oldest[phase] ?? [])
  return {
    address: relayer(),
    balanceWei: sight.funds?.wei ?? null,
    gasPriceWei: sight.gasPrice?.wei ?? null,
    maxGasPriceWei: `${terms.fees.maxWei}`,
    lastsFor: left?.today ?? null,
    lastsAtWorst: left?.atWorst ?? null,
    wantedWei: wanted?.todayWei.toString() ?? null,
    wantedAtWorstWei: wanted?.atWorstWei.toString() ?? null,
    nonces: { ledger: vitals.nextNonce, ...counts },
    inFlight: vitals.carried,
    queued: vitals.waiting,
    oldestAt: open.length === 0 ? null : toIso(Math.min(...open)),
    lastMinedAt: isoOrNull(vitals.lastMinedAt),
  }
}

function describeContracts({ observations: { contracts } }: Vitals) {
  const { state = null, pool } = contracts ?? {}
  if (pool === undefined) return { state, pool: null }
  const { issuableWei, ...told } = pool
  return { state, pool: { ...told, capLeftWei: issuableWei, isPaused: state === 'loan_paused' } }
}
