import { formatUnits } from 'viem'
import { createCoinUnit, formatAmountDown } from '../../loan/amounts.ts'
import {
  computeTopUp,
  countAffordable,
  describeBudgetUse,
  describeStuckNonce,
  type KnownHealthData,
  reservePayments,
  runChecks,
} from '../health.ts'
import { mergeAlerts } from '../kept/alerts.ts'
import { type Deployment, toIso } from '../records.ts'
import { remedies } from '../remedies.ts'
import type { AlertName } from '../schemas/alerts.ts'
import type { CheckName } from '../schemas/health.ts'
import { describeGatewayFault, listGatewayFaults, listSilentGateways } from './gateways.ts'

const minLoansInPool = 10n
const budgetAlertShare = 0.8
const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
const cronRemedy =
  'Keep at least one process running, or let a monitor ask for /readyz each minute: without either, payments wait for their next step. The log has the reason (`cron.failed`).'

type FindAlert = (healthData: KnownHealthData, deployment: Deployment) => string | undefined

export function findAlerts(healthData: KnownHealthData, deployment: Deployment) {
  const finders = Object.entries(alertFinders) as [AlertName, FindAlert][]
  return finders.flatMap(([name, find]) => {
    const description = find(healthData, deployment)
    return description === undefined ? [] : [{ name, says: description }]
  })
}

/** Lists raised and new alerts. `calmSince` is the time at which an alert's cause disappeared. */
export const listCurrentAlerts = (healthData: KnownHealthData, deployment: Deployment) =>
  mergeAlerts(healthData.vitals.alerts, findAlerts(healthData, deployment), healthData.vitals.now)

/** Lists the finders, like the checks: what still refuses after a remedy comes before that. */
const alertFinders: Readonly<Record<AlertName, FindAlert>> = {
  identity: createCheckFinder('identity'),
  rows_missing: createCheckFinder('ledger'),
  rows_lost({ vitals: { possibleLossAt } }) {
    if (possibleLossAt === undefined) return undefined
    return `The chain or a pool has had a transaction of the relayer's key since ${toIso(possibleLossAt)} that the ledger does not know: rows were lost, or another program uses the key. For a day nothing says that no money moved. Let no other program use the key.`
  },
  final_waiting({ vitals: { assuredSince, now } }) {
    if (assuredSince === undefined || now - assuredSince < hourMs) return undefined
    return `A payment at an agent of ${toIso(assuredSince)} is FINAL, and no block holds it. It is sent again until 23 hours after its acceptance; what stops it is in the other alerts. After that you stand for its amount.`
  },
  final_unkept({ vitals: { unkept, now } }, { unit }) {
    if (unkept === undefined || now - unkept.at > weekMs) return undefined
    const { count, sumWei, intentId, at } = unkept
    const sum = `${formatAmountDown(sumWei, unit)} ${unit.symbol}`
    return `A payment that an agent was told is FINAL did not happen, at ${toIso(at)}: \`npm run ops -- why ${intentId}\`. In all ${count} of ${sum}. You stand for that: the agent keeps what was handed out, so pay the agent from the operator's account.`
  },
  node_down: createCheckFinder('node'),
  contracts: createCheckFinder('contracts'),
  price_high: createCheckFinder('gas_price'),
  relayer_low(healthData, { relayer, chain }) {
    const { vitals, terms } = healthData
    const topUp = computeTopUp(vitals, terms)
    if (topUp === undefined) return undefined
    const { balanceWei } = vitals.observations
    const coin = createCoinUnit(chain.currency)
    const payments = countAffordable(vitals, terms)?.atCurrentPrice
    const { waiting } = vitals.oldest
    const queue =
      waiting === undefined
        ? ''
        : `; ${vitals.waiting} payments have waited since ${toIso(waiting)}`
    const balance = `Relayer ${relayer()} has ${formatAmountDown(balanceWei?.value ?? 0n, coin)} ${coin.symbol}`
    const topUpAmount = formatAmountDown(topUp.atCurrentPriceWei, coin)
    const highestAmount = formatAmountDown(topUp.atHighestPriceWei, coin)
    const duration = `enough for ${payments} payments at today's price${queue}`
    return `${balance}, ${duration}. Top up to ${topUpAmount} for ${reservePayments} payments (${highestAmount} at the highest price: \`npm run ops -- relayers top-up ${highestAmount}\`). Waiting payments are kept.`
  },
  stuck(healthData) {
    const { oldest } = healthData.vitals
    if (oldest.stuck !== undefined) {
      return `A payment of ${toIso(oldest.stuck)} failed in too many attempts, and only waits for its deadline. Find it in the list of queued payments.`
    }
    return describeStuckNonce(healthData)
  },
  pool_low({ vitals }, { unit, loan }) {
    const pool = vitals.observations.contracts?.pool
    if (pool === undefined) return undefined
    const liquidityWei = BigInt(pool.liquidityWei)
    if (liquidityWei >= BigInt(pool.principalWei) * minLoansInPool) return undefined
    return `The pool of ${loan} has ${formatAmountDown(liquidityWei, unit)} ${unit.symbol} to lend, fewer than ${minLoansInPool} loans. Fund it: \`npm run ops -- pool fund AMOUNT\`.`
  },
  token_stopped({ vitals: { observations } }, { unit, loan }) {
    const { state = 'moves', at = 0 } = observations.token ?? {}
    if (state === 'moves') return undefined
    const fault =
      state === 'paused'
        ? 'is paused by its issuer'
        : `refuses to move what the pool ${loan} holds: its issuer has blocked that address, or paused all`
    return `The token ${unit.symbol} (${unit.token?.address}) ${fault}, as of ${toIso(at)}. Cash-outs and deposits are refused, and balances, transfers and repayments in the pool go on. Only the issuer can end that: ask it. Tell agents, who cannot cash out what they take; \`npm run ops -- pool pause\` ends new loans.`
  },
  // A new ledger has no late round; health requests start its first one.
  round_late: (healthData, deployment) =>
    healthData.vitals.observations.roundAt === undefined
      ? undefined
      : createCheckFinder('rounds')(healthData, deployment),
  cron_refused: ({ isCronRefused }) =>
    isCronRefused ? `The platform refused the cron that runs rounds. ${cronRemedy}` : undefined,
  budget({ budget }) {
    if (budget === undefined) return undefined
    const { used, says: description } = describeBudgetUse(budget)
    if (used < budget.callsADay * budgetAlertShare) return undefined
    return `${description} (UTC). ${remedies.upstream_budget}`
  },
  unlisted_number({ vitals: { unlistedAt, now } }) {
    if (unlistedAt === undefined || now - unlistedAt > hourMs) return undefined
    return `A caller was refused at ${toIso(unlistedAt)} because no numbering plan lists the number. Ask the gateway which form of numbers it posts, or deploy newer numbering plans (libphonenumber-js).`
  },
  unknown_header({ vitals: { now } }, { nodes }) {
    const unreadable = nodes().find(
      ({ unknownHeaderAt }) =>
        unknownHeaderAt !== null && now - Date.parse(unknownHeaderAt) < hourMs,
    )
    if (unreadable === undefined) return undefined
    return `Node ${unreadable.label} returns blocks in an unknown form, which are used without a proof. Deploy a newer version.`
  },
  unproved({ vitals: { observations, now } }) {
    const { unproved } = observations
    if (unproved === undefined || now - unproved.at > hourMs) return undefined
    return `Callers were told outcomes without a proof, last at ${toIso(unproved.at)} of block ${unproved.block}: the nodes do not serve headers, receipts or their proofs. Name a node that serves them in NODE_URL, or set PROOFS=off.`
  },
  gateway_silent({ vitals }) {
    const silent = listSilentGateways(vitals)
    if (silent.length === 0) return undefined
    const gateways = silent.map(({ name, since }) => `${name} since ${toIso(since)}`).join(', ')
    return `These gateways are silent, and delivered at this time on both days before: ${gateways}. Dial their codes, ask them, and compare the address and the secret that they use.`
  },
  /** Finds gateways of whose requests at least half were refused; strangers post some as well. */
  gateway_refused({ vitals }) {
    const { counts } = vitals.lately.hour
    const faults = listGatewayFaults(counts, vitals.gatewayFaults).filter(
      ({ gateway, count }) => count >= (counts[`gateway.${gateway}/delivery`] ?? 0),
    )
    return faults.length === 0 ? undefined : faults.map(describeGatewayFault).join(' ')
  },
  events_untold({ vitals: { eventsWaitSince: since, eventsLost: lost, now } }) {
    const isLost = lost !== undefined && now - lost.at < weekMs
    if (!isLost && (since === undefined || now - since < hourMs)) return undefined
    const waiting = since === undefined ? '' : ` The oldest waits since ${toIso(since)}.`
    const gone = isLost ? ` ${lost.count} were deleted untold, the last at ${toIso(lost.at)}.` : ''
    return `EVENTS_URL does not take events of accounts.${waiting}${gone} No payment waits for that. The log has the reason (\`events.untold\`); \`GET /operator/events?after=SEQ\` has those of 30 days.`
  },
  rate_jump({ vitals: { rate } }) {
    if (rate?.refused === undefined) return undefined
    const { currency, micros, refused } = rate
    const [kept, offered] = [micros, refused.micros].map((each) => formatUnits(BigInt(each), 6))
    return `Since ${toIso(refused.at)} the price feed says ${currency} ${offered}, too far from ${kept}: amounts are typed in the pool's unit. Compare it with another source, and accept the right price: \`npm run ops -- rate PRICE\`.`
  },
}

/** Creates the finder of an alert that is raised while a check of health fails. */
function createCheckFinder(name: CheckName): FindAlert {
  return (healthData) => {
    const check = runChecks(healthData).find(({ name: checkName }) => checkName === name)
    return check?.state === 'failing' ? `${check.says}. ${remedies[name]}` : undefined
  }
}
