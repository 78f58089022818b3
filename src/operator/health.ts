import type { PoolRules } from '../chain/chains.ts'
import type { DayOfCalls } from '../keys/key-store.ts'
import type { FeeLimits } from '../relay/fees.ts'
import type { Vitals } from '../relay/ledger/port.ts'
import { highestCostWei, roomFor } from '../relay/pay/admission.ts'
import type { Check, CheckName, HealthAnswer } from './answers.ts'

/** What is known of a deployment at a time. */
export type Condition = {
  /** Undefined: the ledger gave no answer. */
  vitals: Vitals | undefined
  /** What nodes were asked today, and may be asked; undefined where that has no limit. */
  budget: { asked: DayOfCalls; callsADay: number } | undefined
  terms: { rules: PoolRules; fees: FeeLimits }
}

/** The cron has a round begin every minute. */
const roundLateMs = 180_000

/** What rounds should have seen again by now. */
const factLateMs = 300_000

type Finding = Omit<Check, 'name'>

const ok = (says: string): Finding => ({ state: 'ok', says })
const failing = (says: string): Finding => ({ state: 'failing', says })
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
    node: seen((known) => nodeOf(known, condition)),
    relayer_funds: seen((known) => fundsOf(known, condition)),
    gas_price: seen((known) => priceOf(known, condition)),
    contracts: seen(contractsOf),
    rounds: seen(roundsOf),
    intake: seen(intakeOf),
    upstream_budget: budgetOf(budget),
  }
  if (vitals === undefined) findings.ledger = failing('The ledger gives no answer')
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
  return {
    status: failed.length === 0 ? 'ok' : 'failing',
    failing: failed,
    checks,
    lastRefused: noted && { reason: noted.kind, at: new Date(noted.at).toISOString() },
    upstreamCallsToday: budget?.asked,
  }
}

function identityOf({ identity }: Vitals): Finding {
  switch (identity?.kind) {
    case 'same':
      return ok('The ledger was begun with these secrets, or not yet')
    case 'different':
      return failing(`The ledger was begun with other values of: ${identity.names.join(', ')}`)
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

function nodeOf({ sight: { head, silentSince }, now }: Vitals, { terms }: Condition): Finding {
  if (silentSince !== undefined) {
    return failing(`No node has told its head for ${secondsSince(silentSince, now)} s`)
  }
  if (head === undefined) return unknown('No round has asked a node yet')
  const age = secondsSince(head.timestampSeconds * 1_000, now)
  const says = `Block ${head.number} is ${age} s old`
  const { stillMs } = terms.rules
  return stillMs !== undefined && age * 1_000 > stillMs ? failing(says) : ok(says)
}

/** Whether a fact is too old to go by although rounds come; late rounds are a finding of their own. */
const isLate = (at: number, { sight: { roundAt = 0 } }: Vitals): boolean =>
  roundAt - at > factLateMs

function fundsOf(vitals: Vitals, { terms }: Condition): Finding {
  const { funds } = vitals.sight
  if (funds === undefined) return unknown("No round has seen the relayer's balance yet")
  if (isLate(funds.at, vitals)) return failing("No node tells the relayer's balance")
  const lasts = paymentsLeft(vitals, terms) ?? 0
  const says = `The relayer's balance is enough for ${lasts} payments at the highest price`
  return lasts > vitals.carried + vitals.waiting ? ok(says) : failing(says)
}

function priceOf(vitals: Vitals, { terms }: Condition): Finding {
  const { gasPrice } = vitals.sight
  if (gasPrice === undefined) return unknown('No round has seen the price of gas yet')
  if (isLate(gasPrice.at, vitals)) return failing('No node tells the price of gas')
  const says = `A node asks ${gasPrice.wei} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${terms.fees.maxWei}`
  return BigInt(gasPrice.wei) > terms.fees.maxWei ? failing(says) : ok(says)
}

/** A pause and a drain are what an operator wants; a restore that was left in the middle is not. */
function intakeOf({ intake, now }: Vitals): Finding {
  if (intake.kind !== 'restoring') return ok('No export is being restored')
  return failing(`An export is being restored for ${secondsSince(intake.since, now)} s`)
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
  if (isLate(contracts.at, vitals)) return failing('No node tells of the contracts')
  switch (contracts.state) {
    case 'ready':
      return contracts.pool?.isPaused === true
        ? failing('The loan contract is paused by its guardian or owner')
        : ok('The contracts are there and take this relayer')
    case 'missing':
      return failing('The contracts are not at the configured addresses')
    case 'not_allowed':
      return failing('The forwarder does not take this relayer, or may not call the loan contract')
    case 'paused':
      return failing('The forwarder is paused by its guardian or owner')
  }
}

function budgetOf(budget: Condition['budget']): Finding {
  if (budget === undefined) return ok('The nodes may be asked without a limit')
  const { asked, callsADay } = budget
  const used = asked.relay + asked.callers
  const says = `${used} of ${callsADay} calls to the nodes are used today`
  return used < callsADay ? ok(says) : failing(says)
}
