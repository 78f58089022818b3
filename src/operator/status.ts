import type { Intake, Vitals } from '../relay/ledger/port.ts'
import { undecidedPhases } from '../relay/ledger/transitions.ts'
import { alertsNow } from './alerting/alerts.ts'
import type { StatusAnswer } from './answers.ts'
import { healthOf, type KnownCondition, paymentsLeft, wantedFunds } from './health.ts'
import { isoOf, isoOrNull, type Subject, toAlert } from './records.ts'
import { version } from './version.ts'

/** Counts transactions of the relayer's account in the chain and with its pool; null where no node tells. */
export type Counts = { chain: number | null; pool: number | null }

/** Tells whether payments are taken; `isAnyOpen` of a ledger in which any payment or nonce is not settled. */
export function shownIntake(intake: Intake, isAnyOpen: boolean): StatusAnswer['intake'] {
  if (intake.kind === 'open') return { state: intake.kind }
  const isDrained = intake.kind === 'draining' && !isAnyOpen
  return { state: isDrained ? 'drained' : intake.kind, since: isoOf(intake.since) }
}

export function statusOf(subject: Subject, known: KnownCondition, counts: Counts): StatusAnswer {
  const { vitals, budget } = known
  const { chain, loan, forwarder } = subject
  const { head } = vitals.sight
  const isAnyOpen =
    vitals.carried > 0 || Object.values(vitals.oldest).some((at) => at !== undefined)
  return {
    now: isoOf(vitals.now),
    version,
    schema: vitals.schema,
    network: chain.name,
    chainId: chain.id,
    currency: chain.currency,
    intake: shownIntake(vitals.intake, isAnyOpen),
    health: healthOf(known),
    alerts: alertsNow(known, subject).map(toAlert),
    relayers: [relayerOf(subject, known, counts)],
    contracts: { loan, forwarder, ...contractsOf(vitals) },
    head: head ? { number: head.number, at: isoOf(head.timestampSeconds * 1_000) } : null,
    blocks: vitals.blocks.map(({ number, fullness = null }) => ({ number, fullness })),
    guards: [...subject.guards],
    nodes: subject.nodes(),
    callsToday: budget === undefined ? null : { ...budget.asked, limit: budget.callsADay },
    counts: { ...vitals.counts },
    lately: { hour: countedOf(vitals.lately.hour), today: countedOf(vitals.lately.today) },
  }
}

const countedOf = ({ since, counts }: Vitals['lately']['hour']) => ({
  since: isoOf(since),
  counts: { ...counts },
})

function relayerOf({ relayer }: Subject, { vitals, terms }: KnownCondition, counts: Counts) {
  const { sight, oldest } = vitals
  const left = paymentsLeft(vitals, terms)
  const wanted = wantedFunds(vitals, terms)
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
    oldestAt: open.length === 0 ? null : isoOf(Math.min(...open)),
    lastMinedAt: isoOrNull(vitals.lastMinedAt),
  }
}

function contractsOf({ sight: { contracts } }: Vitals) {
  const { state = null, pool } = contracts ?? {}
  if (pool === undefined) return { state, pool: null }
  const { issuableWei, ...told } = pool
  return { state, pool: { ...told, capLeftWei: issuableWei, isPaused: state === 'loan_paused' } }
}
