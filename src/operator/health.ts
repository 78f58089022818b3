import type { PoolRules } from '../chain/chains.ts'
import type { DayOfCalls } from '../keys/key-store.ts'
import type { FeeLimits } from '../relay/fees.ts'
import type { NotedObstacle, Vitals } from '../relay/ledger/port.ts'
import {
  findCapacity,
  fundsFor,
  highestCostWei,
  isCrowded,
  paymentsFrom,
} from '../relay/pay/admission.ts'
import { mostOffMs } from '../runtime/clock.ts'
import type { Check, CheckName, HealthAnswer } from './answers.ts'
import { toIso } from './records.ts'

export type Condition = {
  /** Is undefined where the ledger gave no answer; `store` names then what keeps it. */
  vitals: Vitals | undefined
  store?: LedgerStore
  /** Counts today's node calls; undefined without a limit. */
  budget: { asked: DayOfCalls; callsADay: number } | undefined
  terms: { rules: PoolRules; fees: FeeLimits }
  /** Holds how far the process's clock is ahead of the ledger's, in ms. */
  aheadMs: number
}

/** Names what keeps a ledger. */
export type LedgerStore = 'the Durable Object' | 'Redis'

/** Says where to look for a ledger that gives no answer. */
export const describeSilence = (store: LedgerStore | undefined): string =>
  `The ledger gives no answer: look at ${store}`

export type KnownCondition = Condition & { vitals: Vitals }

/** Calls rounds late after this time: the cron, once a minute, has missed three. */
const roundLateMs = 180_000
/** Calls a reading too old after this time. */
export const factLateMs = 300_000

type Finding = Omit<Check, 'name'>

const ok = (says: string): Finding => ({ state: 'ok', says })
const failing = (says: string): Finding => ({ state: 'failing', says })
const refusing = (says: string): Finding => ({ state: 'failing', says, refuses: true })
const unknown = (says: string): Finding => ({ state: 'unknown', says })

export function runChecks({ vitals, store, ...condition }: Condition): Check[] {
  const seen = (look: (known: KnownCondition) => Finding): Finding =>
    vitals === undefined
      ? unknown('Not known while the ledger gives no answer')
      : look({ ...condition, vitals })
  const findings: Record<CheckName, Finding> = {
    configuration: ok('Every variable is good'),
    identity: seen(checkIdentity),
    ledger: vitals ? ok('Rows are read and written') : refusing(describeSilence(store)),
    clock: seen(checkClock),
    node: seen(checkNode),
    relayer_funds: seen(checkFunds),
    gas_price: seen(checkPrice),
    contracts: seen(checkContracts),
    queue: seen(checkQueue),
    rounds: seen(checkRounds),
    intake: seen(checkIntake),
    upstream_budget: checkBudget(condition.budget),
  }
  const named = Object.entries(findings) as [CheckName, Finding][]
  return named.map(([name, finding]) => ({ name, ...finding }))
}

export function judgeHealth(condition: Condition): HealthAnswer {
  const { vitals, budget } = condition
  const checks = runChecks(condition)
  const failed = checks.filter(({ state }) => state === 'failing').map(({ name }) => name)
  const noted = vitals?.obstacle
  const isOver = vitals?.intake.kind === 'open' && checks.every(({ refuses }) => !refuses)
  return {
    status: failed.length === 0 ? 'ok' : 'failing',
    failing: failed,
    checks,
    lastRefused: noted && {
      reason: noted.kind,
      at: toIso(noted.at),
      ...(isOver && { over: noted.endedAt === undefined ? true : toIso(noted.endedAt) }),
    },
    upstreamCallsToday: budget?.asked,
  }
}

/** Returns since when nodes do not answer rounds, or payments if nothing newer is known. */
function silentSince({ observations: sight, obstacle }: Vitals): number | undefined {
  const isLast = ({ at }: NotedObstacle) =>
    [sight.head, sight.contracts].some((fact) => (fact?.at ?? 0) <= at)
  const isOfPayment = obstacle?.kind === 'no_answer' && obstacle.endedAt === undefined
  return sight.silentSince ?? (isOfPayment && isLast(obstacle) ? obstacle.at : undefined)
}

function checkClock({ aheadMs }: KnownCondition): Finding {
  const offSeconds = Math.round(Math.abs(aheadMs) / 1_000)
  const side = aheadMs > 0 ? 'ahead of' : 'behind'
  return Math.abs(aheadMs) > mostOffMs
    ? refusing(`The clock of this process is ${offSeconds} s ${side} that of the ledger`)
    : ok("The clock of this process is the ledger's")
}

function checkQueue({ vitals, terms }: KnownCondition): Finding {
  const says = `${vitals.waiting} payments wait for their turn`
  return isCrowded(terms, vitals) ? refusing(`${says}: one more would come too late`) : ok(says)
}

function checkIdentity({ vitals: { identity } }: KnownCondition): Finding {
  if (identity === undefined) return unknown('Not asked')
  if (identity.kind === 'same') return ok('The ledger was begun with these secrets, or not yet')
  const says = `The ledger was begun with other values of: ${identity.names.join(', ')}`
  const isRenumbered = identity.names.includes('NUMBERING')
  return refusing(isRenumbered ? `${says} (NUMBERING: \`npm run account -- alias\`)` : says)
}

const secondsSince = (at: number, now: number): number =>
  Math.max(0, Math.round((now - at) / 1_000))

function checkRounds({ vitals: { observations: sight, now } }: KnownCondition): Finding {
  const { roundAt, failingSince } = sight
  if (roundAt === undefined) return failing('No round has looked after the ledger yet')
  const ago = `The last round was ${secondsSince(roundAt, now)} s ago`
  if (now - roundAt > roundLateMs) return failing(ago)
  if (failingSince === undefined || now - failingSince < factLateMs) return ok(ago)
  return failing(`No round has come to its end for ${secondsSince(failingSince, now)} s`)
}

/** Returns when a block came: its own time, or if that is in the future, when it was first seen. */
export const bornAt = ({
  timestampSeconds,
  since,
}: NonNullable<Vitals['observations']['head']>): number => Math.min(timestampSeconds * 1_000, since)

function checkNode({ vitals, terms }: KnownCondition): Finding {
  const { observations: sight, now } = vitals
  const since = silentSince(vitals)
  if (since !== undefined) {
    return refusing(`No node has answered for ${secondsSince(since, now)} s`)
  }
  if (sight.head === undefined) return unknown('No round has asked a node yet')
  const age = secondsSince(bornAt(sight.head), now)
  const says = `Block ${sight.head.number} is ${age} s old`
  const { stillMs } = terms.rules
  if (stillMs === undefined || age * 1_000 <= stillMs) return ok(says)
  return failing(
    `${says}: nodes answer, and their chain stands still since ${toIso(bornAt(sight.head))}`,
  )
}

/** Checks the age of a reading while rounds run; another check finds late rounds. */
function checkAge({ at }: { at: number }, vitals: Vitals, what: string): Finding | undefined {
  if ((vitals.observations.roundAt ?? 0) - at <= factLateMs) return undefined
  const isSilent = silentSince(vitals) !== undefined
  return isSilent ? unknown('Not known: no node answers') : failing(`No node tells ${what}`)
}

function checkFunds({ vitals, terms }: KnownCondition): Finding {
  const { funds } = vitals.observations
  if (funds === undefined) return unknown("No round has seen the relayer's balance yet")
  const lasts = paymentsLeft(vitals, terms)?.atWorst ?? 0
  const says = `The relayer's balance is enough for ${lasts} payments at the highest price`
  const isEnough = lasts > vitals.carried + vitals.waiting
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
  const isDoubtful = wei >= maxWei * doubtedTimes
  return (
    checkAge(gasPrice, vitals, 'the price of gas') ??
    (wei > maxWei ? refusing(isDoubtful ? says + doubt : says) : ok(says))
  )
}

/** Calls a price doubtful that is so many times the highest one. */
const doubtedTimes = 10n

/** Checks for an unfinished restore; pause and drain are intended. */
function checkIntake({ vitals: { intake, now } }: KnownCondition): Finding {
  if (intake.kind !== 'restoring') return ok('No export is being restored')
  return refusing(`An export is being restored for ${secondsSince(intake.since, now)} s`)
}

const priceIn = ({ observations: { gasPrice } }: Vitals, { fees }: Condition['terms']): bigint =>
  gasPrice === undefined ? fees.maxWei : BigInt(gasPrice.wei)

/** Returns how many payments the relayer's balance pays for; undefined before it was read. */
export function paymentsLeft(vitals: Vitals, terms: Condition['terms']) {
  const { funds } = vitals.observations
  if (funds === undefined) return undefined
  const means = { gasPriceWei: priceIn(vitals, terms), balanceWei: BigInt(funds.wei) }
  return { today: paymentsFrom(terms, means), atWorst: findCapacity(terms, means).open }
}

/** Calls the relayer's balance low below this many payments at today's price. */
const fewPayments = 20

/** Counts the payments that a relayer's balance should cover. */
export const wantedPayments = 50n

/**
 * Returns the wei that the relayer should have; undefined if it has enough, or nothing is known.
 */
export function wantedFunds(vitals: Vitals, terms: Condition['terms']) {
  const left = paymentsLeft(vitals, terms)
  if (left === undefined || left.today >= fewPayments) return undefined
  return fundsWanted(terms, priceIn(vitals, terms))
}

/** Returns the cost of 50 payments in wei, at today's price and at the highest. */
export function fundsWanted(terms: Condition['terms'], gasPriceWei: bigint) {
  return {
    todayWei: fundsFor(terms, gasPriceWei, wantedPayments),
    atWorstWei: highestCostWei(terms, gasPriceWei) * wantedPayments,
  }
}

const contractFindings = {
  ready: ok('The contracts are there and take this relayer'),
  loan_paused: failing(
    'The loan contract is paused by its guardian or owner: loans and cash-outs are refused, transfers, repayments and deposits go on',
  ),
  missing: refusing('The contracts are not at the configured addresses'),
  not_allowed: refusing(
    'The forwarder does not take this relayer, or may not call the loan contract',
  ),
  paused: refusing('The forwarder is paused by its guardian or owner: no payment goes through'),
}

function checkContracts({ vitals }: KnownCondition): Finding {
  const { contracts } = vitals.observations
  if (contracts === undefined) return unknown('No round has looked at the contracts yet')
  return checkAge(contracts, vitals, 'of the contracts') ?? contractFindings[contracts.state]
}

export function countUsed({ asked, callsADay }: NonNullable<Condition['budget']>) {
  const used = asked.relay + asked.callers
  return { used, says: `${used} of ${callsADay} calls to the nodes are used today` }
}

function checkBudget(budget: Condition['budget']): Finding {
  if (budget === undefined) return ok('The nodes may be asked without a limit')
  const { used, says } = countUsed(budget)
  return used < budget.callsADay ? ok(says) : failing(says)
}
