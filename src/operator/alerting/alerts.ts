import { formatAmountDown } from '../../loan/amounts.ts'
import type { ActiveAlert } from '../../relay/ledger/port.ts'
import type { AlertName, CheckName } from '../answers.ts'
import {
  countAffordable,
  countUsed,
  findTopUp,
  type KnownCondition,
  reservePayments,
  runChecks,
} from '../health.ts'
import { type Subject, toIso } from '../records.ts'
import { remedies } from '../remedies.ts'
import { describeStuckNonce } from '../stuck-nonce.ts'
import { silentGateways } from './silent-gateways.ts'

const fewLoans = 10n
const budgetShare = 0.8
const hourMs = 3_600_000

type Find = (known: KnownCondition, subject: Subject) => string | undefined

/** Lists the alerts, each with its remedy in one sentence. */
export function listAlerts(known: KnownCondition, subject: Subject) {
  const named = Object.entries(finds) as [AlertName, Find][]
  return named.flatMap(([name, find]) => {
    const says = find(known, subject)
    return says === undefined ? [] : [{ name, says }]
  })
}

/** Lists raised alerts and new findings; one may be over (`calmSince`). */
export function alertsNow(known: KnownCondition, subject: Subject): readonly ActiveAlert[] {
  const { alerts, now } = known.vitals
  const found = listAlerts(known, subject)
  const before = alerts.map((alert) => {
    const says = found.find(({ name }) => name === alert.name)?.says
    return says === undefined
      ? { ...alert, calmSince: alert.calmSince ?? now }
      : { ...alert, says, calmSince: undefined }
  })
  const raised = found.filter(({ name }) => alerts.every((alert) => alert.name !== name))
  return [...before, ...raised.map((alert) => ({ ...alert, raisedAt: now }))]
}

const finds: Readonly<Record<AlertName, Find>> = {
  relayer_low: lowRelayer,
  price_high: failure('gas_price'),
  stuck: stuckPayment,
  node_down: failure('node'),
  identity: failure('identity'),
  pool_low: lowPool,
  contracts: failure('contracts'),
  // Of a ledger that was begun a moment ago no round is late; one that never comes is woken by
  // health.
  round_late: (known, subject) =>
    known.vitals.observations.roundAt === undefined ? undefined : failure('rounds')(known, subject),
  budget: spentBudget,
  unlisted_number: unlistedNumber,
  unknown_header: unknownHeader,
  unproved: unprovedOutcome,
  gateway_silent: silentGateway,
}

function failure(name: CheckName): Find {
  return (known) => {
    const check = runChecks(known).find((one) => one.name === name)
    return check?.state === 'failing' ? `${check.says}. ${remedies[name]}` : undefined
  }
}

function lowRelayer(known: KnownCondition, { relayer, chain }: Subject): string | undefined {
  const { vitals, terms } = known
  const wanted = findTopUp(vitals, terms)
  if (wanted === undefined) return undefined
  const { funds } = vitals.observations
  const left = countAffordable(vitals, terms)?.today
  const { waiting } = vitals.oldest
  const queue =
    waiting === undefined ? '' : `; ${vitals.waiting} payments wait since ${toIso(waiting)}`
  const has = `Relayer ${relayer()} has ${formatAmountDown(BigInt(funds?.wei ?? 0))} ${chain.currency}`
  const [today, worst] = [wanted.todayWei, wanted.atWorstWei].map((wei) => formatAmountDown(wei))
  const lasts = `enough for ${left} payments at today's price${queue}`
  return `${has}, ${lasts}. Have ${today} there for ${reservePayments} (${worst} at the highest price: \`npm run relayers -- top-up ${worst}\`); nothing is lost.`
}

function stuckPayment(known: KnownCondition): string | undefined {
  const { oldest } = known.vitals
  if (oldest.stuck !== undefined) {
    return `A payment of ${toIso(oldest.stuck)} was carried in vain too often and waits for its deadline. Look at it: its state is queued.`
  }
  return describeStuckNonce(known)
}

function lowPool({ vitals }: KnownCondition, { chain, loan }: Subject): string | undefined {
  const pool = vitals.observations.contracts?.pool
  if (pool === undefined) return undefined
  const liquidityWei = BigInt(pool.liquidityWei)
  if (liquidityWei >= BigInt(pool.principalWei) * fewLoans) return undefined
  return `The pool of ${loan} has ${formatAmountDown(liquidityWei)} ${chain.currency} to lend, fewer than ${fewLoans} loans. Fund it: \`npm run pool -- fund AMOUNT\`.`
}

function spentBudget({ budget }: KnownCondition): string | undefined {
  if (budget === undefined) return undefined
  const { used, says } = countUsed(budget)
  if (used < budget.callsADay * budgetShare) return undefined
  return `${says} (UTC). ${remedies.upstream_budget}`
}

function unlistedNumber({ vitals: { unlistedAt, now } }: KnownCondition): string | undefined {
  if (unlistedAt === undefined || now - unlistedAt > hourMs) return undefined
  return `A caller was refused at ${toIso(unlistedAt)}: no numbering plan knows the number. Ask the gateway which form it posts, or deploy newer numbering plans (libphonenumber-js).`
}

function unknownHeader(
  { vitals: { now } }: KnownCondition,
  { nodes }: Subject,
): string | undefined {
  const strange = nodes().find(
    ({ unknownHeaderAt: at }) => at !== null && now - Date.parse(at) < hourMs,
  )
  if (strange === undefined) return undefined
  return `Node ${strange.label} shows blocks in a form that is not known: they are believed, and nothing proves them. Deploy a newer version.`
}

function unprovedOutcome({
  vitals: { observations: sight, now },
}: KnownCondition): string | undefined {
  const { unproved } = sight
  if (unproved === undefined || now - unproved.at > hourMs) return undefined
  return `Outcomes are told that nothing proves, last at ${toIso(unproved.at)} of block ${unproved.block}: the nodes do not serve headers, receipts or their proofs. Name a node that does in NODE_URL, or set PROOFS=off.`
}

function silentGateway({ vitals }: KnownCondition): string | undefined {
  const silent = silentGateways(vitals)
  if (silent.length === 0) return undefined
  const each = silent.map(({ name, since }) => `${name} since ${toIso(since)}`).join(', ')
  return `A gateway delivers nothing that did at this time on the days before: ${each}. Dial its code; ask it, and compare the address and the secret that it has.`
}
