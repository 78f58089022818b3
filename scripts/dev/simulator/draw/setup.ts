import { poolRules } from '../../../../src/chain/chains.ts'
import type { AccountLimits } from '../../../../src/relay/pay/admission.ts'
import { createRandom, type Random } from '../../random.ts'
import { drawRates } from '../faults.ts'
import { drawMoney, type Money } from '../money.ts'
import { minuteMs, secondMs } from '../units.ts'

/** What `src/compose/config.ts` lets the relay pay on Rootstock. */
const usualMaxGasPriceWei = 1_000_000_000n

const lenderShare = 0.25

/**
 * Days of outages with payments that are final before their blocks: none of their requests is over
 * after the one, and all of them after the other.
 */
export const [halfDayOutage, dayOutage] = [0.4, 1.1]

export type Setup = ReturnType<typeof drawSetup>

export function drawSetup(seed: number, random: Random, spanMs: number, given?: Money) {
  const isRoomy = !random.chance(0.85)
  const workers = random.int(1, 3)
  const maxInFlight = random.pick([15, 15, 15, 4, 2])
  const blockMs = random.pick([8, 24, 30]) * secondMs
  const confirmations = random.pick([1, 1, 2, 2, 2, 4, 4, 12])
  const isLender = createRandom(seed, 'lender').chance(lenderShare)
  const final = createRandom(seed, 'final')
  const isAssuring = isLender && final.chance(0.6)
  const money = given ?? drawMoney(createRandom(seed, 'money'), isLender)
  return {
    /** The pool takes any nonce, as others than Rootstock's do. */
    isRoomy,
    rules: {
      ...poolRules.rootstock,
      maxInFlight,
      confirmations: isAssuring ? final.pick([2, 4, 4, 12]) : confirmations,
      watchBlocks: random.pick([16, 20, 50]),
      roundMs: random.pick([5, 10, 10, 20]) * secondMs,
      accountStateMs: createRandom(seed, 'means').pick([0, 5, 25, 100]) * secondMs,
      maxInBatch: createRandom(seed, 'batch').pick([1, 2, 3, 12]),
    },
    slots: isRoomy ? 1_000 : maxInFlight + 1,
    evictAfterBlocks: random.pick([3, 10, 10]),
    evictAfterMs: random.pick([100, 650, 650]) * secondMs,
    preflight: random.chance(0.9),
    limits: drawLimits(seed, isLender, money),
    workers,
    callers: random.int(2, 4),
    skewsMs: Array.from({ length: workers }, () =>
      random.chance(0.3) ? random.int(-20 * secondMs, 20 * secondMs) : 0,
    ),
    blockMs,
    isRegular: random.chance(0.3),
    /** How likely a miner takes a transaction that it could take. */
    inclusion: random.pick([1, 0.9, 0.6]),
    /** How likely a transaction goes back to the pool when its block goes. */
    returned: random.pick([1, 0.7, 0]),
    slowness: random.pick([1, 1, 3]),
    /** How many times the usual gas the forwarder uses for a request. */
    gasTimes: createRandom(seed, 'gas').pick([1, 1, 1, 1, 4]),
    /** Tells whether each Worker accepts payments itself, as processes on Redis do. */
    hasOwnAcceptors: createRandom(seed, 'acceptors').chance(0.2),
    ...drawPool(createRandom(seed, 'pool')),
    rates: drawRates(random),
    maxBehindMs: random.chance(0.8) ? 25 * secondMs : 2 * minuteMs,
    maxGasPriceWei: usualMaxGasPriceWei,
    /** Faults are drawn for so long from a phase's start. */
    troubledMs: spanMs + random.int(10, 300) * secondMs,
    /** Days between the two phases, in the second of which session ids are used again. */
    pauseDays: random.chance(0.12) ? random.pick([6, 8, 8.05, 8.3, 9, 12]) : undefined,
    /** Days that the relay is down after the first phase's faults, with what is open then. */
    outageDays: undefined as number | undefined,
    /** Callers have PINs and limits, payments are confirmed, and messages are sent. */
    isLender,
    /** Payments to tills are final after one block. */
    isAssuring,
    /** The share of receipts that no header proves, or that nodes are believed. */
    unproved: isAssuring
      ? createRandom(seed, 'proofs').pick(['believed', 0, 0, 0.4, 1] as const)
      : 'believed',
    /** How much of them is final at once: each, and all of them together. */
    finalAtOnce: drawAtOnce(createRandom(seed, 'at once'), isAssuring, money),
    ...money,
  }
}

type Limits = AccountLimits & { dialsAMinute: number }

function drawLimits(seed: number, isLender: boolean, { stepWei }: Money): Limits {
  const random = createRandom(seed, 'limits')
  const hasDay = random.chance(isLender ? 0.5 : 0.15)
  return {
    openPayments: random.pick([3, 3, 3, 3, 3, 3, 1, 16, 16, 16]),
    transfersADay: hasDay ? random.int(1, 4) : undefined,
    sentADayWei: hasDay ? BigInt(random.int(5, 40)) * stepWei : undefined,
    dialsAMinute: random.pick([60, 3]),
    agents: undefined,
  }
}

/** Draws what may be final at once: of the histories that may, in some nothing, in most little. */
function drawAtOnce(random: Random, isAssuring: boolean, { stepWei }: Money) {
  if (!isAssuring || random.chance(0.4)) return { eachWei: 0n, limitWei: 0n }
  const each = random.int(5, 20)
  return { eachWei: BigInt(each) * stepWei, limitWei: BigInt(random.int(each, 30)) * stepWei }
}

/** Draws how many loans pool and daily cap allow: mostly enough, sometimes few. */
function drawPool(random: Random) {
  const isScarce = random.chance(0.2)
  const isCapped = random.chance(0.1)
  return { poolLoans: isScarce ? random.int(1, 2) : 6, capLoans: isCapped ? random.int(1, 2) : 100 }
}
