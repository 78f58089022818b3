import type { PoolRules } from '../chain/chains.ts'
import type { DailyCalls } from '../keys/key-store.ts'
import type { FeeLimits } from '../relay/fees.ts'
import type { NotedObstacle, Vitals } from '../relay/ledger/port.ts'
import {
  computeFundsWei,
  computeHighestCostWei,
  countPayments,
  findCapacity,
  isCrowded,
} from '../relay/pay/admission.ts'
import { maxClockOffsetMs } from '../runtime/clock.ts'
import type { Check, CheckName, HealthAnswer } from './answers.ts'
import { toIso } from './records.ts'

export type Condition = {
  /** The ledger's state; undefined if the ledger gave no answer. */
  vitals: Vitals | undefined
  store?: LedgerStore
  /** Today's calls to the nodes and their limit; undefined without a limit. */
  budget: { callsToday: DailyCalls; callsADay: number } | undefined
  terms: { rules: PoolRules; fees: FeeLimits }
  /** The lead of this process's clock over the ledger's, in ms. */
  aheadMs: number
}

/** The store in which a deployment keeps its ledger. */
export type LedgerStore = 'the Durable Object' | 'Redis'

/** Tells an operator which store to look at when the ledger gives no answer. */
export const describeSilence = (store: LedgerStore | undefined): string =>
  `The ledger gives no answer: look at ${store}`

export type KnownCondition = Condition & { vitals: Vitals }

/** Time without a round after which rounds are late: the cron has missed three minutes. */
const roundOverdueMs = 180_000
/** Age after which a reading of the chain no longer counts. */
export const readingExpiresMs = 300_000

type Finding = Omit<Check, 'name'>

const ok = (says: string): Finding => ({ state: 'ok', says })
const failing = (says: string): Finding => ({ state: 'failing', says })
const refusing = (says: string): Finding => ({ state: 'failing', says, refuses: true })
const unknown = (says: string): Finding => ({ state: 'unknown', says })

export function runChecks({ vitals, store, ...condition }: Condition): Check[] {
  const ifKnown = (check: (condition: KnownCondition) => Finding): Finding =>
    vitals === undefined
      ? unknown('Not known while the ledger gives no answer')
      : check({ ...condition, vitals })
  const findings: Record<CheckName, Finding> = {
    configuration: ok('Every variable is good'),
    identity: ifKnown(checkIdentity),
    ledger: vitals ? ok('Rows are read and written') : refusing(describeSilence(store)),
    clock: ifKnown(checkClock),
    node: ifKnown(checkNode),
    relayer_funds: ifKnown(checkFunds),
    gas_price: ifKnown(checkPrice),
    contracts: ifKnown(checkContracts),
    queue: ifKnown(checkQueue),
    rounds: ifKnown(checkRounds),
    intake: ifKnown(checkIntake),
    upstream_budget: checkBudget(condition.budget),
  }
  const named = Object.entries(findings) as [CheckName, Finding][]
  return named.map(([name, finding]) => ({ name, ...finding }))
}

export function judgeHealth(condition: Condition): HealthAnswer {
  const { vitals, budget } = condition
  const checks = runChecks(condition)
  const failed = checks.filter(({ state }) => state === 'failing').map(({ name }) => name)
  const obstacle = vitals?.obstacle
  const hasEnded = vitals?.intake.kind === 'open' && checks.every(({ refuses }) => !refuses)
  return {
    status: failed.length === 0 ? 'ok' : 'failing',
    failing: failed,
    checks,
    lastRefused: obstacle && {
      reason: obstacle.kind,
      at: toIso(obstacle.at),
      ...(hasEnded && { over: obstacle.endedAt === undefined ? true : toIso(obstacle.endedAt) }),
    },
    upstreamCallsToday: budget?.callsToday,
  }
}

/** Returns when the nodes stopped answering rounds, or payments if that is newer. */
function findSilenceStart({ observations, obstacle }: Vitals): number | undefined {
  const isNewest = ({ at }: NotedObstacle) =>
    [observations.head, observations.contracts].some((fact) => (fact?.at ?? 0) <= at)
  const isFromPayment = obstacle?.kind === 'no_answer' && obstacle.endedAt === undefined
  return observations.silentSince ?? (isFromPayment && isNewest(obstacle) ? obstacle.at : undefined)
}

function checkClock({ aheadMs }: KnownCondition): Finding {
  const offSeconds = Math.round(Math.abs(aheadMs) / 1_000)
  const side = aheadMs > 0 ? 'ahead of' : 'behind'
  return Math.abs(aheadMs) > maxClockOffsetMs
    ? refusing(`The clock of this process is ${offSeconds} s ${side} that of the ledger`)
    : ok('The clocks of this process and of the ledger agree')
}

function checkQueue({ vitals, terms }: KnownCondition): Finding {
  const says = `${vitals.waiting} payments wait for their turn`
  return isCrowded(terms, vitals) ? refusing(`${says}: one more would come too late`) : ok(says)
}

function checkIdentity({ vitals: { identity } }: KnownCondition): Finding {
  if (identity === undefined) return unknown('The secrets have not been compared yet')
  if (identity.kind === 'same') return ok('The ledger is empty, or was begun with these secrets')
  const says = `The ledger was begun with other values of: ${identity.names.join(', ')}`
  const isRenumbered = identity.names.includes('NUMBERING')
  return refusing(isRenumbered ? `${says} (NUMBERING: \`npm run account -- alias\`)` : says)
}

const countSecondsSince = (at: number, now: number): number =>
  Math.max(0, Math.round((now - at) / 1_000))

function checkRounds({ vitals: { observations, now } }: KnownCondition): Finding {
  const { roundAt, failingSince } = observations
  if (roundAt === undefined) return failing('No round has run yet')
  const lastRound = `The last round was ${countSecondsSince(roundAt, now)} s ago`
  if (now - roundAt > roundOverdueMs) return failing(lastRound)
  if (failingSince === undefined || now - failingSince < readingExpiresMs) return ok(lastRound)
  return failing(`No round has succeeded for ${countSecondsSince(failingSince, now)} s`)
}

/** Returns the time of a block, or when it was first seen if its own time is in the future. */
export const findBlockTime = (head: { timestampSeconds: number; since: number }): number =>
  Math.min(head.timestampSeconds * 1_000, head.since)

function checkNode({ vitals, terms }: KnownCondition): Finding {
  const { observations, now } = vitals
  const since = findSilenceStart(vitals)
  if (since !== undefined) {
    return refusing(`No node has answered for ${countSecondsSince(since, now)} s`)
  }
  if (observations.head === undefined) return unknown('No round has asked a node yet')
  const age = countSecondsSince(findBlockTime(observations.head), now)
  const says = `Block ${observations.head.number} is ${age} s old`
  const { haltedAfterMs } = terms.rules
  if (haltedAfterMs === undefined || age * 1_000 <= haltedAfterMs) return ok(says)
  return failing(
    `${says}: nodes answer, but their chain has had no new block since ${toIso(findBlockTime(observations.head))}`,
  )
}

/** Checks that a reading is not too old while rounds run; `checkRounds` finds late rounds. */
function checkAge({ at }: { at: number }, vitals: Vitals, reading: string): Finding | undefined {
  if ((vitals.observations.roundAt ?? 0) - at <= readingExpiresMs) return undefined
  if (findSilenceStart(vitals) !== undefined) return unknown('Not known: no node answers')
  return failing(`No node answers a request for ${reading}`)
}

function checkFunds({ vitals, terms }: KnownCondition): Finding {
  const { funds } = vitals.observations
  if (funds === undefined) return unknown("No round has seen the relayer's balance yet")
  const payments = countAffordable(vitals, terms)?.atWorst ?? 0
  const says = `The relayer's balance is enough for ${payments} payments at the highest price`
  const isEnough = payments > vitals.carried + vitals.waiting
  return checkAge(funds, vitals, "the relayer's balance") ?? (isEnough ? ok(says) : refusing(says))
}

function checkPrice({ vitals, terms }: KnownCondition): Finding {
  const { gasPrice } = vitals.observations
  if (gasPrice === undefined) return unknown('No round has seen the price of gas yet')
  const { maxWei } = terms.fees
  const says = `A node asks ${gasPrice.wei} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${maxWei}`
  const wei = BigInt(gasPrice.wei)
  const doubt =
    '. So high a price may be a mistake of the node: compare another or an explorer first'
  const isDoubtful = wei >= maxWei * doubtfulMultiple
  return (
    checkAge(gasPrice, vitals, 'the price of gas') ??
    (wei > maxWei ? refusing(isDoubtful ? says + doubt : says) : ok(says))
  )
}

/** Multiple of MAX_GAS_PRICE_WEI from which a price may be a mistake of the node. */
const doubtfulMultiple = 10n

/** Fails only during a restore, because operators pause and drain on purpose. */
function checkIntake({ vitals: { intake, now } }: KnownCondition): Finding {
  if (intake.kind !== 'restoring') return ok('No restore is running')
  return refusing(`A restore has been running for ${countSecondsSince(intake.since, now)} s`)
}

const findGasPrice = (
  { observations: { gasPrice } }: Vitals,
  { fees }: Condition['terms'],
): bigint => (gasPrice === undefined ? fees.maxWei : BigInt(gasPrice.wei))

/** Counts the payments that the relayer's balance pays for; undefined before it was read. */
export function countAffordable(vitals: Vitals, terms: Condition['terms']) {
  const { funds } = vitals.observations
  if (funds === undefined) return undefined
  const finances = { gasPriceWei: findGasPrice(vitals, terms), balanceWei: BigInt(funds.wei) }
  return { today: countPayments(terms, finances), atWorst: findCapacity(terms, finances).open }
}

/** Payments at today's price below which the relayer's balance is low. */
const lowBalancePayments = 20

/** Payments that the relayer's balance should pay for. */
export const reservePayments = 50n

/** Returns the balance that the relayer needs; undefined if it has enough, or none was read. */
export function findTopUp(vitals: Vitals, terms: Condition['terms']) {
  const affordable = countAffordable(vitals, terms)
  if (affordable === undefined || affordable.today >= lowBalancePayments) return undefined
  return costOfReserve(terms, findGasPrice(vitals, terms))
}

/** Returns the cost of `reservePayments` in wei, at today's price and at the highest. */
export function costOfReserve(terms: Condition['terms'], gasPriceWei: bigint) {
  return {
    todayWei: computeFundsWei(terms, gasPriceWei, reservePayments),
    atWorstWei: computeHighestCostWei(terms, gasPriceWei) * reservePayments,
  }
}

const contractFindings = {
  ready: ok('The contracts exist and accept this relayer'),
  loan_paused: failing(
    'The loan contract is paused by its guardian or owner: loans and cash-outs are refused, transfers, repayments and deposits go on',
  ),
  missing: refusing('The contracts are not at the configured addresses'),
  not_allowed: refusing(
    'The forwarder does not accept this relayer, or may not call the loan contract',
  ),
  paused: refusing('The forwarder is paused by its guardian or owner: no payment goes through'),
}

function checkContracts({ vitals }: KnownCondition): Finding {
  const { contracts } = vitals.observations
  if (contracts === undefined) return unknown('No round has looked at the contracts yet')
  return (
    checkAge(contracts, vitals, 'the state of the contracts') ?? contractFindings[contracts.state]
  )
}

export function describeBudgetUse({ callsToday, callsADay }: NonNullable<Condition['budget']>) {
  const used = callsToday.relay + callsToday.callers
  return { used, says: `${used} of ${callsADay} calls to the nodes are used today` }
}

function checkBudget(budget: Condition['budget']): Finding {
  if (budget === undefined) return ok('The nodes may be asked without a limit')
  const { used, says } = describeBudgetUse(budget)
  return used < budget.callsADay ? ok(says) : failing(says)
}
