import type { PoolRules } from '../chain/chains.ts'
import type { DayOfCalls } from '../keys/key-store.ts'
import type { FeeLimits } from '../relay/fees.ts'
import type { NotedObstacle, Vitals } from '../relay/ledger/port.ts'
import { highestCostWei, isCrowded, roomFor } from '../relay/pay/admission.ts'
import { mostOffMs } from '../runtime/clock.ts'
import type { Check, CheckName, HealthAnswer } from './answers.ts'
import { isoOf } from './records.ts'

/** What is known of a deployment at a time. */
export type Condition = {
  /** Undefined: the ledger gave no answer. */
  vitals: Vitals | undefined
  /** What nodes were asked today, and may be asked; undefined where that has no limit. */
  budget: { asked: DayOfCalls; callsADay: number } | undefined
  terms: { rules: PoolRules; fees: FeeLimits }
  /** How far the clock of the process is ahead of the ledger's, in ms. */
  aheadMs: number
}

/** The cron has a round begin every minute. */
const roundLateMs = 180_000
/** What rounds should have seen again by now. */
const factLateMs = 300_000

type Finding = Omit<Check, 'name'>

const ok = (says: string): Finding => ({ state: 'ok', says })
const failing = (says: string): Finding => ({ state: 'failing', says })
const refusing = (says: string): Finding => ({ state: 'failing', says, refuses: true })
const unknown = (says: string): Finding => ({ state: 'unknown', says })

/** What holds, and what does not. */
export function checksOf(condition: Condition): Check[] {
  const { vitals, budget } = condition
  const seen = (look: (vitals: Vitals) => Finding): Finding =>
    vitals === undefined ? unknown('Not known while the ledger gives no answer') : look(vitals)
  const findings: Record<CheckName, Finding> = {
    configuration: ok('Every variable is good'),
    identity: seen(identityOf),
    ledger: seen(() => ok('Rows are read and written')),
    clock: seen(() => clockOf(condition)),
    node: seen((known) => nodeOf(known, condition)),
    relayer_funds: seen((known) => fundsOf(known, condition)),
    gas_price: seen((known) => priceOf(known, condition)),
    contracts: seen(contractsOf),
    queue: seen((known) => queueOf(known, condition)),
    rounds: seen(roundsOf),
    intake: seen(intakeOf),
    upstream_budget: budgetOf(budget),
  }
  if (vitals === undefined) findings.ledger = refusing('The ledger gives no answer')
  return Object.entries(findings).map(([name, finding]) => ({
    name: name as CheckName,
    ...finding,
  }))
}

/** The answer of a health route. */
export function healthOf(condition: Condition): HealthAnswer {
  const { vitals, budget } = condition
  const checks = checksOf(condition)
  const failed = checks.filter(({ state }) => state === 'failing').map(({ name }) => name)
  const noted = vitals?.obstacle
  const isOver = vitals?.intake.kind === 'open' && checks.every(({ refuses }) => !refuses)
  return {
    status: failed.length === 0 ? 'ok' : 'failing',
    failing: failed,
    checks,
    lastRefused: noted && {
      reason: noted.kind,
      at: isoOf(noted.at),
      ...(isOver && { over: noted.endedAt === undefined ? true : isoOf(noted.endedAt) }),
    },
    upstreamCallsToday: budget?.asked,
  }
}

/** Since when nodes do not answer: a round, or a payment while nothing newer is known of them. */
function silentSince({ sight, obstacle }: Vitals): number | undefined {
  const isLast = ({ at }: NotedObstacle) =>
    [sight.head, sight.contracts].some((fact) => (fact?.at ?? 0) <= at)
  const isOfPayment = obstacle?.kind === 'no_answer' && obstacle.endedAt === undefined
  return sight.silentSince ?? (isOfPayment && isLast(obstacle) ? obstacle.at : undefined)
}

function clockOf({ aheadMs }: Condition): Finding {
  const offSeconds = Math.round(Math.abs(aheadMs) / 1_000)
  const side = aheadMs > 0 ? 'ahead of' : 'behind'
  return Math.abs(aheadMs) > mostOffMs
    ? refusing(`The clock of this process is ${offSeconds} s ${side} that of the ledger`)
    : ok("The clock of this process is the ledger's")
}

function queueOf(vitals: Vitals, { terms }: Condition): Finding {
  const { waiting } = vitals
  return isCrowded(terms, vitals)
    ? refusing(`${waiting} payments wait for their turn: one more would come too late`)
    : ok(`${waiting} payments wait for their turn`)
}

function identityOf({ identity }: Vitals): Finding {
  switch (identity?.kind) {
    case 'same':
      return ok('The ledger was begun with these secrets, or not yet')
    case 'different':
      return refusing(`The ledger was begun with other values of: ${identity.names.join(', ')}`)
    case undefined:
      return unknown('Not asked')
  }
}

const secondsSince = (at: number, now: number): number =>
  Math.max(0, Math.round((now - at) / 1_000))

function roundsOf({ sight: { roundAt, failingSince }, now }: Vitals): Finding {
  if (roundAt === undefined) return failing('No round has looked after the ledger yet')
  const ago = `The last round was ${secondsSince(roundAt, now)} s ago`
  if (now - roundAt > roundLateMs) return failing(ago)
  if (failingSince === undefined || now - failingSince < factLateMs) return ok(ago)
  return failing(`No round has come to its end for ${secondsSince(failingSince, now)} s`)
}

/** When a block came: by its own time, or where that is yet to come, when it was first seen. */
export const bornAt = ({ timestampSeconds, since }: NonNullable<Vitals['sight']['head']>): number =>
  Math.min(timestampSeconds * 1_000, since)

function nodeOf(vitals: Vitals, { terms }: Condition): Finding {
  const [{ sight, now }, since] = [vitals, silentSince(vitals)]
  const { head } = sight
  if (since !== undefined) {
    return refusing(`No node has answered for ${secondsSince(since, now)} s`)
  }
  if (head === undefined) return unknown('No round has asked a node yet')
  const age = secondsSince(bornAt(head), now)
  const says = `Block ${head.number} is ${age} s old`
  const { stillMs } = terms.rules
  return stillMs !== undefined && age * 1_000 > stillMs ? failing(says) : ok(says)
}

/** A fact that is too old to go by although rounds come; late rounds, and a silent node, are findings of their own. */
function lateOf({ at }: { at: number }, vitals: Vitals, what: string): Finding | undefined {
  if ((vitals.sight.roundAt ?? 0) - at <= factLateMs) return undefined
  const isSilent = silentSince(vitals) !== undefined
  return isSilent ? unknown('Not known: no node answers') : failing(`No node tells ${what}`)
}

function fundsOf(vitals: Vitals, { terms }: Condition): Finding {
  const { funds } = vitals.sight
  if (funds === undefined) return unknown("No round has seen the relayer's balance yet")
  const late = lateOf(funds, vitals, "the relayer's balance")
  if (late !== undefined) return late
  const lasts = paymentsLeft(vitals, terms) ?? 0
  const says = `The relayer's balance is enough for ${lasts} payments at the highest price`
  return lasts > vitals.carried + vitals.waiting ? ok(says) : refusing(says)
}

function priceOf(vitals: Vitals, { terms }: Condition): Finding {
  const { gasPrice } = vitals.sight
  if (gasPrice === undefined) return unknown('No round has seen the price of gas yet')
  const late = lateOf(gasPrice, vitals, 'the price of gas')
  if (late !== undefined) return late
  const says = `A node asks ${gasPrice.wei} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${terms.fees.maxWei}`
  return BigInt(gasPrice.wei) > terms.fees.maxWei ? refusing(says) : ok(says)
}

/** A pause and a drain are what an operator wants; a restore that was left in the middle is not. */
function intakeOf({ intake, now }: Vitals): Finding {
  if (intake.kind !== 'restoring') return ok('No export is being restored')
  return refusing(`An export is being restored for ${secondsSince(intake.since, now)} s`)
}

/** For how many payments the relayer's balance lasts at the highest price that each may come to. */
export function paymentsLeft(
  { sight: { funds, gasPrice } }: Vitals,
  terms: Condition['terms'],
): number | undefined {
  if (funds === undefined) return undefined
  const gasPriceWei = gasPrice === undefined ? terms.fees.maxWei : BigInt(gasPrice.wei)
  return roomFor(terms, { gasPriceWei, balanceWei: BigInt(funds.wei) }).open
}

/** A relayer that pays for fewer payments than this is low; what is asked for is enough for so many. */
const fewPayments = 50
const plentyPayments = 500n

/** What to send to the relayer, in wei; undefined where it has enough, or nothing is known of it yet. */
export function wantedWei(vitals: Vitals, terms: Condition['terms']): bigint | undefined {
  const left = paymentsLeft(vitals, terms)
  if (left === undefined || left >= fewPayments) return undefined
  const { gasPrice } = vitals.sight
  const priceWei = gasPrice === undefined ? terms.fees.maxWei : BigInt(gasPrice.wei)
  return highestCostWei(terms, priceWei) * plentyPayments
}

function contractsOf(vitals: Vitals): Finding {
  const { contracts } = vitals.sight
  if (contracts === undefined) return unknown('No round has looked at the contracts yet')
  const late = lateOf(contracts, vitals, 'of the contracts')
  if (late !== undefined) return late
  switch (contracts.state) {
    case 'ready':
      return ok('The contracts are there and take this relayer')
    case 'loan_paused':
      return failing('The loan contract is paused by its guardian or owner')
    case 'missing':
      return refusing('The contracts are not at the configured addresses')
    case 'not_allowed':
      return refusing('The forwarder does not take this relayer, or may not call the loan contract')
    case 'paused':
      return refusing('The forwarder is paused by its guardian or owner')
  }
}

function budgetOf(budget: Condition['budget']): Finding {
  if (budget === undefined) return ok('The nodes may be asked without a limit')
  const { asked, callsADay } = budget
  const used = asked.relay + asked.callers
  const says = `${used} of ${callsADay} calls to the nodes are used today`
  return used < callsADay ? ok(says) : failing(says)
}
