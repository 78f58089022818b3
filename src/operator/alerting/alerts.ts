import { formatAmountDown } from '../../loan/amounts.ts'
import type { ActiveAlert } from '../../relay/ledger/port.ts'
import {
  computeTopUp,
  countAffordable,
  describeBudgetUse,
  type KnownCondition,
  reservePayments,
  runChecks,
} from '../health.ts'
import { type Deployment, toIso } from '../records.ts'
import { remedies } from '../remedies.ts'
import type { AlertName } from '../schemas/alerts.ts'
import type { CheckName } from '../schemas/health.ts'
import { describeStuckNonce } from '../stuck-nonce.ts'
import { listSilentGateways } from './silent-gateways.ts'

const minLoansInPool = 10n
const budgetAlertShare = 0.8
const hourMs = 3_600_000

type FindAlert = (condition: KnownCondition, deployment: Deployment) => string | undefined

/** Finds the causes of alerts, each described with its remedy. */
export function findAlerts(condition: KnownCondition, deployment: Deployment) {
  const finders = Object.entries(alertFinders) as [AlertName, FindAlert][]
  return finders.flatMap(([name, find]) => {
    const says = find(condition, deployment)
    return says === undefined ? [] : [{ name, says }]
  })
}

/** Lists raised alerts and new ones; `calmSince` is since when an alert's cause is gone. */
export function listCurrentAlerts(
  condition: KnownCondition,
  deployment: Deployment,
): readonly ActiveAlert[] {
  const { alerts, now } = condition.vitals
  const found = findAlerts(condition, deployment)
  const raisedBefore = alerts.map((alert) => {
    const says = found.find(({ name }) => name === alert.name)?.says
    return says === undefined
      ? { ...alert, calmSince: alert.calmSince ?? now }
      : { ...alert, says, calmSince: undefined }
  })
  const newAlerts = found.filter(({ name }) => alerts.every((alert) => alert.name !== name))
  return [...raisedBefore, ...newAlerts.map((alert) => ({ ...alert, raisedAt: now }))]
}

const alertFinders: Readonly<Record<AlertName, FindAlert>> = {
  relayer_low: findLowRelayer,
  price_high: createCheckFinder('gas_price'),
  stuck: findStuckPayment,
  node_down: createCheckFinder('node'),
  identity: createCheckFinder('identity'),
  pool_low: findLowPool,
  contracts: createCheckFinder('contracts'),
  // A new ledger has no late round; health requests start its first one.
  round_late: (condition, deployment) =>
    condition.vitals.observations.roundAt === undefined
      ? undefined
      : createCheckFinder('rounds')(condition, deployment),
  budget: findSpentBudget,
  unlisted_number: findUnlistedNumber,
  unknown_header: findUnknownHeader,
  unproved: findUnprovedOutcome,
  gateway_silent: findSilentGateway,
}

/** Creates the finder of an alert that is raised while a check of health fails. */
function createCheckFinder(name: CheckName): FindAlert {
  return (condition) => {
    const check = runChecks(condition).find(({ name: checkName }) => checkName === name)
    return check?.state === 'failing' ? `${check.says}. ${remedies[name]}` : undefined
  }
}

function findLowRelayer(
  condition: KnownCondition,
  { relayer, chain }: Deployment,
): string | undefined {
  const { vitals, terms } = condition
  const topUp = computeTopUp(vitals, terms)
  if (topUp === undefined) return undefined
  const { funds } = vitals.observations
  const payments = countAffordable(vitals, terms)?.atCurrentPrice
  const { waiting } = vitals.oldest
  const queue =
    waiting === undefined ? '' : `; ${vitals.waiting} payments have waited since ${toIso(waiting)}`
  const balance = `Relayer ${relayer()} has ${formatAmountDown(BigInt(funds?.wei ?? 0))} ${chain.currency}`
  const topUpAmount = formatAmountDown(topUp.atCurrentPriceWei)
  const highestAmount = formatAmountDown(topUp.atHighestPriceWei)
  const duration = `enough for ${payments} payments at today's price${queue}`
  return `${balance}, ${duration}. Top up to ${topUpAmount} for ${reservePayments} payments (${highestAmount} at the highest price: \`npm run relayers -- top-up ${highestAmount}\`); nothing is lost.`
}

function findStuckPayment(condition: KnownCondition): string | undefined {
  const { oldest } = condition.vitals
  if (oldest.stuck !== undefined) {
    return `A payment of ${toIso(oldest.stuck)} failed in too many attempts, and only waits for its deadline. Look it up among the queued ones.`
  }
  return describeStuckNonce(condition)
}

function findLowPool({ vitals }: KnownCondition, { chain, loan }: Deployment): string | undefined {
  const pool = vitals.observations.contracts?.pool
  if (pool === undefined) return undefined
  const liquidityWei = BigInt(pool.liquidityWei)
  if (liquidityWei >= BigInt(pool.principalWei) * minLoansInPool) return undefined
  return `The pool of ${loan} has ${formatAmountDown(liquidityWei)} ${chain.currency} to lend, fewer than ${minLoansInPool} loans. Fund it: \`npm run pool -- fund AMOUNT\`.`
}

function findSpentBudget({ budget }: KnownCondition): string | undefined {
  if (budget === undefined) return undefined
  const { used, says } = describeBudgetUse(budget)
  if (used < budget.callsADay * budgetAlertShare) return undefined
  return `${says} (UTC). ${remedies.upstream_budget}`
}

function findUnlistedNumber({ vitals: { unlistedAt, now } }: KnownCondition): string | undefined {
  if (unlistedAt === undefined || now - unlistedAt > hourMs) return undefined
  return `A caller was refused at ${toIso(unlistedAt)} because no numbering plan lists the number. Ask the gateway which form of numbers it posts, or deploy newer numbering plans (libphonenumber-js).`
}

function findUnknownHeader(
  { vitals: { now } }: KnownCondition,
  { nodes }: Deployment,
): string | undefined {
  const unreadable = nodes().find(
    ({ unknownHeaderAt }) => unknownHeaderAt !== null && now - Date.parse(unknownHeaderAt) < hourMs,
  )
  if (unreadable === undefined) return undefined
  return `Node ${unreadable.label} returns blocks in an unknown form, which are used without a proof. Deploy a newer version.`
}

function findUnprovedOutcome({
  vitals: { observations, now },
}: KnownCondition): string | undefined {
  const { unproved } = observations
  if (unproved === undefined || now - unproved.at > hourMs) return undefined
  return `Callers were told outcomes without a proof, last at ${toIso(unproved.at)} of block ${unproved.block}: the nodes do not serve headers, receipts or their proofs. Name a node that serves them in NODE_URL, or set PROOFS=off.`
}

function findSilentGateway({ vitals }: KnownCondition): string | undefined {
  const silent = listSilentGateways(vitals)
  if (silent.length === 0) return undefined
  const gateways = silent.map(({ name, since }) => `${name} since ${toIso(since)}`).join(', ')
  return `These gateways are silent, and delivered at this time on both days before: ${gateways}. Dial their codes, ask them, and compare the address and the secret that they use.`
}
