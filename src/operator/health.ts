import type { PoolRules } from '../chain/chains.ts'
import type { DailyCalls } from '../keys/api-keys.ts'
import {
  computeCapacity,
  computeFundsWei,
  computeHighestCostWei,
  countPayments,
  isCrowded,
} from '../relay/pay/admission.ts'
import { computeGasPrice, type FeeLimits } from '../relay/relayer.ts'
import { maxClockOffsetMs } from '../runtime/clock.ts'
import type { Vitals } from './kept/steps.ts'
import { toIso } from './records.ts'
import { type Check, type CheckName, checkNames, type HealthAnswer } from './schemas/health.ts'

export type HealthData = {
  /** Holds the ledger's state; undefined if the ledger gave no answer. */
  vitals: Vitals | undefined
  store?: LedgerStore
  /** Is true if the store does not tell whether it drops rows when it is full. */
  isEvictionUnknown?: boolean | undefined
  /** Is true if the platform refused this process's cron: rounds run only while it runs. */
  isCronRefused?: boolean | undefined
  /** Holds today's calls to the nodes and their limit; undefined without a limit. */
  budget: { callsToday: DailyCalls; callsADay: number } | undefined
  terms: { rules: PoolRules; fees: FeeLimits }
  /** Tells by how many ms this process's clock is ahead of the ledger's; negative if behind. */
  aheadMs: number
}

export type LedgerStore = 'the Durable Object' | 'Redis'

/** Tells an operator which store to look at when the ledger gives no answer. */
export const describeSilence = (store: LedgerStore | undefined): string =>
  `The ledger gives no answer: look at ${store}`

export type KnownHealthData = HealthData & { vitals: Vitals }

/** Limits the time without a round: by then the cron, which runs each minute, has missed three. */
const roundOverdueMs = 180_000
/** Limits the age of what rounds read of the chain. */
export const readingExpiresMs = 300_000

type Finding = Omit<Check, 'name'>

const ok = (says: string): Finding => ({ state: 'ok', says })
const failing = (says: string): Finding => ({ state: 'failing', says })
const refusing = (says: string): Finding => ({ state: 'failing', says, refuses: true })
const unknown = (says: string): Finding => ({ state: 'unknown', says })

export function runChecks({
  vitals,
  store,
  isEvictionUnknown,
  ...healthData
}: HealthData): Check[] {
  const ifKnown = (check: (healthData: KnownHealthData) => Finding): Finding =>
    vitals === undefined
      ? unknown('Not known while the ledger gives no answer')
      : check({ ...healthData, vitals })
  const findings: Record<CheckName, Finding> = {
    configuration: ok('Every variable is valid'),
    identity: ifKnown(checkIdentity),
    ledger: vitals ? checkRows(vitals, isEvictionUnknown) : refusing(describeSilence(store)),
    clock: ifKnown(checkClock),
    node: ifKnown(checkNode),
    relayer_funds: ifKnown(checkFunds),
    gas_price: ifKnown(checkPrice),
    contracts: ifKnown(checkContracts),
    queue: ifKnown(checkQueue),
    rounds: ifKnown(checkRounds),
    upstream_budget: checkBudget(healthData.budget),
  }
  return checkNames.map((name) => ({ name, ...findings[name] }))
}

export function describeHealth(healthData: HealthData): HealthAnswer {
  const { vitals } = healthData
  const checks = runChecks(healthData)
  const failingNames = checks.filter(({ state }) => state === 'failing').map(({ name }) => name)
  const obstacle = vitals?.obstacle
  const hasEnded = vitals?.intake.kind === 'open' && checks.every(({ refuses }) => !refuses)
  return {
    status: failingNames.length === 0 ? 'ok' : 'failing',
    failing: failingNames,
    checks,
    lastRefused: obstacle && {
      reason: obstacle.kind,
      at: toIso(obstacle.at),
      ...(hasEnded && { over: obstacle.endedAt === undefined ? true : toIso(obstacle.endedAt) }),
    },
  }
}

/** Returns since when no node has answered, as a round or a later payment has recorded it. */
function findSilenceStart({ observations, obstacle }: Vitals): number | undefined {
  const { silentSince, head, contracts } = observations
  const isSilent = obstacle?.kind === 'no_answer' && obstacle.endedAt === undefined
  if (silentSince !== undefined || !isSilent) return silentSince
  return [head, contracts].some((fact) => (fact?.at ?? 0) <= obstacle.at) ? obstacle.at : undefined
}

function checkRows({ missing }: Vitals, isEvictionUnknown = false): Finding {
  if (missing.length > 0)
    return refusing(`Rows are missing that others name: ${missing.join(', ')}`)
  return ok(`Rows are read and written${isEvictionUnknown ? '; eviction unknown' : ''}`)
}

function checkClock({ aheadMs }: KnownHealthData): Finding {
  const offSeconds = Math.round(Math.abs(aheadMs) / 1_000)
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return Math.abs(aheadMs) > maxClockOffsetMs
    ? refusing(`The clock of this process is ${offSeconds} s ${direction} that of the ledger`)
    : ok('The clocks of this process and of the ledger agree')
}

function checkQueue({ vitals, terms }: KnownHealthData): Finding {
  const says = `${vitals.waiting} payments wait for their turn`
  return isCrowded(terms, vitals) ? refusing(`${says}: one more would come too late`) : ok(says)
}

function checkIdentity({ vitals: { identity, nextNonce } }: KnownHealthData): Finding {
  if (identity === undefined) return unknown('The secrets have not been compared yet')
  if (identity.kind === 'same')
    return ok(`The ledger ${nextNonce > 0 ? '' : 'is empty, or '}was begun with these secrets`)
  const says = `The ledger was begun with other values of: ${identity.names.join(', ')}`
  const isRenumbered = identity.names.includes('NUMBERING')
  return refusing(isRenumbered ? `${says} (NUMBERING: \`npm run ops -- account alias\`)` : says)
}

const getSecondsSince = (at: number, now: number): number =>
  Math.max(0, Math.round((now - at) / 1_000))

function checkRounds({ vitals: { observations, now } }: KnownHealthData): Finding {
  const { roundAt, failingSince } = observations
  if (roundAt === undefined) return failing('No round has run yet')
  const lastRound = `The last round was ${getSecondsSince(roundAt, now)} s ago`
  if (now - roundAt > roundOverdueMs) return failing(lastRound)
  if (failingSince === undefined || now - failingSince < readingExpiresMs) return ok(lastRound)
  return failing(`No round has succeeded for ${getSecondsSince(failingSince, now)} s`)
}

/** Returns the time of a block, or when it was first seen if its own time is in the future. */
export const getBlockTime = (head: { timestampSeconds: number; since: number }): number =>
  Math.min(head.timestampSeconds * 1_000, head.since)

function checkNode({ vitals, terms }: KnownHealthData): Finding {
  const { observations, now } = vitals
  const since = findSilenceStart(vitals)
  if (since !== undefined) return describeSilentNodes(vitals, since)
  if (observations.head === undefined) return unknown('No round has asked a node yet')
  const age = getSecondsSince(getBlockTime(observations.head), now)
  const says = `Block ${observations.head.number} is ${age} s old`
  const { haltedAfterMs } = terms.rules
  if (haltedAfterMs === undefined || age * 1_000 <= haltedAfterMs) return ok(says)
  return failing(
    `${says}: nodes answer, but their chain has had no new block since ${toIso(getBlockTime(observations.head))}`,
  )
}

/** Says for how long nodes were asked in vain; without a later question nothing is known. */
function describeSilentNodes({ observations, obstacle, now }: Vitals, since: number): Finding {
  const askedAt = Math.max(since, observations.roundAt ?? 0, obstacle?.at ?? 0)
  const askedText = `the last was asked ${getSecondsSince(askedAt, now)} s ago`
  if (now - askedAt > roundOverdueMs)
    return unknown(`Not known: no node answered, and ${askedText}`)
  const silentSeconds = getSecondsSince(since, askedAt)
  if (silentSeconds === 0) return refusing(`No node answers: ${askedText}`)
  return refusing(`No node has answered for ${silentSeconds} s: ${askedText}`)
}

/** Returns a finding if a reading is much older than the last round: no node answers for it. */
function findExpired({ at }: { at: number }, vitals: Vitals, reading: string): Finding | undefined {
  if ((vitals.observations.roundAt ?? 0) - at <= readingExpiresMs) return undefined
  if (findSilenceStart(vitals) !== undefined) return unknown('Not known: no node answers')
  return failing(`No node answers a request for ${reading}`)
}

function checkFunds({ vitals, terms }: KnownHealthData): Finding {
  const { balanceWei } = vitals.observations
  if (balanceWei === undefined) return unknown("No round has seen the relayer's balance yet")
  if (isPriceTooHigh(vitals, terms)) {
    return unknown('Not computed: no payment goes out at a price above MAX_GAS_PRICE_WEI')
  }
  const affordable = countAffordable(vitals, terms)?.atHighestPrice ?? 0
  const says = `The relayer's balance is enough for ${affordable} payments at the highest price`
  const isEnough = affordable > vitals.carried + vitals.waiting
  return (
    findExpired(balanceWei, vitals, "the relayer's balance") ??
    (isEnough ? ok(says) : refusing(says))
  )
}

function checkPrice({ vitals, terms }: KnownHealthData): Finding {
  const { gasPriceWei } = vitals.observations
  if (gasPriceWei === undefined) return unknown('No round has seen the price of gas yet')
  const { maxWei } = terms.fees
  const { value: wei } = gasPriceWei
  const says = `A node asks ${wei} wei for a unit of gas, and MAX_GAS_PRICE_WEI is ${maxWei}`
  const warning =
    '. So high a price may be a mistake of the node: compare another or an explorer first'
  const mayBeMistake = wei >= maxWei * doubtfulPriceMultiple
  return (
    findExpired(gasPriceWei, vitals, 'the price of gas') ??
    (wei > maxWei ? refusing(mayBeMistake ? says + warning : says) : ok(says))
  )
}

/** Sets the multiple of MAX_GAS_PRICE_WEI from which a price may be a mistake of the node. */
const doubtfulPriceMultiple = 10n

/** Tells whether nodes ask more than the highest price, at which no sum means anything. */
const isPriceTooHigh = (
  { observations: { gasPriceWei } }: Vitals,
  { fees }: HealthData['terms'],
): boolean => gasPriceWei !== undefined && gasPriceWei.value > fees.maxWei

const getGasPriceWei = (
  { observations: { gasPriceWei } }: Vitals,
  { fees }: HealthData['terms'],
): bigint => gasPriceWei?.value ?? fees.maxWei

/**
 * Counts the payments that the relayer's balance pays for; undefined before it was read, and while
 * the price is above the highest.
 */
export function countAffordable(vitals: Vitals, terms: HealthData['terms']) {
  const { balanceWei } = vitals.observations
  if (balanceWei === undefined || isPriceTooHigh(vitals, terms)) return undefined
  const finances = { gasPriceWei: getGasPriceWei(vitals, terms), balanceWei: balanceWei.value }
  const atCurrentPrice = countPayments(terms, finances)
  return { atCurrentPrice, atHighestPrice: computeCapacity(terms, finances).open }
}

/** Sets how many payments at the current price the balance has to pay for, so as not to be low. */
export const minPayments = 20

/** Sets how many payments the relayer's balance should pay for after a top-up. */
export const reservePayments = 50n

/** Returns the balance to top up to; undefined if the balance is not low, or not known. */
export function computeTopUp(vitals: Vitals, terms: HealthData['terms']) {
  const affordable = countAffordable(vitals, terms)
  if (affordable === undefined || affordable.atCurrentPrice >= minPayments) return undefined
  return computeReserveCost(terms, getGasPriceWei(vitals, terms))
}

/** Returns the cost of `reservePayments` in wei, at the current price and at the highest. */
export function computeReserveCost(terms: HealthData['terms'], gasPriceWei: bigint) {
  return {
    atCurrentPriceWei: computeFundsWei(terms, gasPriceWei, reservePayments),
    atHighestPriceWei: computeHighestCostWei(terms, gasPriceWei) * reservePayments,
  }
}

const contractFindings = {
  ready: ok('The contracts exist and accept this relayer'),
  loan_paused: failing(
    'The loan contract is paused by its guardian or owner: loans and cash-outs are refused, transfers, repayments and deposits go on',
  ),
  missing: refusing('The contracts are not at the configured addresses'),
  not_allowed: refusing(
    'The forwarder does not accept this relayer (it is not allowed, or its account delegates to code), or may not call the loan contract',
  ),
  other_unit: refusing('The loan contract counts another unit than UNIT says'),
  paused: refusing('The forwarder is paused by its guardian or owner: no payment goes through'),
}

function checkContracts({ vitals }: KnownHealthData): Finding {
  const { contracts } = vitals.observations
  if (contracts === undefined) return unknown('No round has looked at the contracts yet')
  return (
    findExpired(contracts, vitals, 'the state of the contracts') ??
    contractFindings[contracts.state]
  )
}

export function describeBudgetUse({ callsToday, callsADay }: NonNullable<HealthData['budget']>) {
  const used = callsToday.relay + callsToday.callers
  return { used, says: `${used} of ${callsADay} calls to the nodes are used today` }
}

function checkBudget(budget: HealthData['budget']): Finding {
  if (budget === undefined) return ok('The nodes may be asked without a limit')
  const { used, says } = describeBudgetUse(budget)
  return used < budget.callsADay ? ok(says) : failing(says)
}

/** Sets after how many blocks, or multiples of `replaceAfterMs`, a nonce is stuck. */
const stuckMultiple = 3

/** Returns the next nonce of the chain if it has waited too long; undefined otherwise. */
export function findStuckNonce({ vitals, terms }: Pick<KnownHealthData, 'vitals' | 'terms'>) {
  const { front, blocks, now } = vitals
  if (front === undefined) return undefined
  const { blockMs, replaceAfterMs } = terms.rules
  const thirdBlockTime = (blocks[stuckMultiple - 1]?.timestampSeconds ?? 0) * 1_000
  const waitedMs = now - front.since
  // Compares waiting times too, because the chain's clock may differ from the ledger's.
  const isLeftOut = thirdBlockTime > front.since && waitedMs >= blockMs * (stuckMultiple - 1)
  return isLeftOut || waitedMs >= replaceAfterMs * stuckMultiple ? front : undefined
}

/** Describes why a nonce may be stuck, and the remedy; undefined if no nonce is stuck. */
export function describeStuckNonce(healthData: KnownHealthData): string | undefined {
  const stuck = findStuckNonce(healthData)
  if (stuck === undefined) return undefined
  const { nonce, since, gasPriceWei, failures } = stuck
  const { observations, now } = healthData.vitals
  const { poolNonce, gasPriceWei: asked } = observations
  const priceWei = asked?.value ?? 0n
  const poolReading =
    poolNonce && poolNonce.at > since && now - poolNonce.at < readingExpiresMs && poolNonce
  const waitText = `Nonce ${nonce} has waited for a block since ${toIso(since)}`
  const outbidHint = `outbid it: \`npm run ops -- outbid ${nonce}\``
  const otherNodeHint = 'name another node in NODE_URL'
  if (priceWei > healthData.terms.fees.maxWei) {
    return `${waitText}: a node asks ${priceWei} wei, above MAX_GAS_PRICE_WEI. Raise that, or wait.`
  }
  if (poolReading && poolReading.value <= nonce) {
    const answer =
      failures === 0 ? 'accepted it' : `did not accept it in the last ${failures} attempts`
    return `${waitText}: the node ${answer}, and does not have it in its pool. A higher price does not help: ${otherNodeHint}.`
  }
  if (computeGasPrice(healthData.terms, priceWei, BigInt(gasPriceWei)) === undefined) {
    return `${waitText} at ${gasPriceWei} wei: outbidding it costs more than MAX_GAS_PRICE_WEI. Raise that, then ${outbidHint}.`
  }
  const poolText = poolReading
    ? 'the node has it in its pool'
    : 'it is not known whether the node has it'
  return `${waitText} at ${gasPriceWei} wei, and ${poolText}. Its price may be too low: ${outbidHint}. If that does not help, ${otherNodeHint}.`
}
