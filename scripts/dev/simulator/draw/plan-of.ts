import { poolRules } from '../../../../src/chain/chains.ts'
import { createRandom, type Random } from '../../random.ts'
import type { PoolFamily } from '../../rootstock-pool/refusals.ts'
import { drawRates } from '../faults.ts'
import { type Item, type Knobs, milliWei, type Plan } from '../plan.ts'
import { drawCrowd, drawDials, drawEnds, drawGreedy } from './dials.ts'
import { drawAlternations, drawEvents, drawLasting, drawRare } from './events.ts'
import { asLender } from './lender.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs

/** What `src/compose/config.ts` lets the relay pay on Rootstock, and a limit that replacements meet soon. */
const usualMaxGasPriceWei = 1_000_000_000n
const tightGasPriceWei = 100_000_000n

/** Share of the histories that are a lender's. */
const lenderShare = 0.25

/** The plan that a seed stands for. */
export function planOf(seed: number): Plan {
  const random = createRandom(seed, 'plan')
  const spanMs = random.pick([5 * secondMs, 40 * secondMs, 3 * minuteMs, 8 * minuteMs])
  const knobs = drawKnobs(seed, random, spanMs)
  const items: Item[] = []
  const counter = { next: 0 }
  const phases: (0 | 1)[] = knobs.pauseDays === undefined ? [0] : [0, 1]
  const isCrowded = random.chance(0.12)
  for (const phase of phases) {
    items.push(...drawDials(random, knobs, phase, spanMs, isCrowded, counter))
    if (random.chance(0.85)) items.push(...drawEvents(random, knobs, phase, spanMs))
    items.push(
      ...drawAlternations(createRandom(seed, `alternation ${phase}`), phase, spanMs, knobs),
      ...drawLasting(createRandom(seed, `lasting ${phase}`), phase, spanMs),
      ...drawGreedy(createRandom(seed, `greedy ${phase}`), knobs, phase, spanMs, counter),
    )
  }
  items.push(...drawEnds(createRandom(seed, 'ends'), items, counter))
  items.push(...drawRare(seed, knobs, items, counter))
  const crowd = drawCrowd(createRandom(seed, 'crowd'), knobs, spanMs, counter)
  items.push(...crowd.items)
  const isDearer = items.some(({ kind }) => kind === 'lasting_price')
  // A low limit stops replacements early; below a price that stays, it would stop payments for good.
  const isTight = !isDearer && createRandom(seed, 'gas price').chance(0.15)
  const maxGasPriceWei = isTight ? tightGasPriceWei : knobs.maxGasPriceWei
  // Blocks that take what they could are what a queue's length is judged by.
  const inclusion = crowd.size > 0 ? 1 : knobs.inclusion
  const plan = {
    seed,
    knobs: { ...knobs, maxGasPriceWei, inclusion, callers: knobs.callers + crowd.size },
    items: items.sort((a, b) => a.phase - b.phase || a.at - b.at),
  }
  const drawn = withOutage(plan, createRandom(seed, 'outage'))
  return knobs.isLender ? asLender(drawn, counter.next) : drawn
}

/**
 * Payments that are open when a relay goes down for so long that the forwarder forgets what they spent. What a nonce
 * carried may be lost just before: then only the chain can say what became of it.
 */
function withOutage(plan: Plan, random: Random): Plan {
  const { troubledMs, pauseDays } = plan.knobs
  const isDown = random.chance(0.05)
  const outageDays = random.pick([5.5, 6.2, 7.05, 7.5, 7.8])
  const lost = Array.from({ length: random.int(0, 3) }, (): Item => {
    const at = Math.max(0, troubledMs - random.int(0, 20) * secondMs)
    return { phase: 0, at, kind: 'row_loss', table: 'nonces' }
  })
  const isLossy = plan.items.some(({ kind }) => kind === 'loss' || kind === 'row_loss')
  if (!isDown || isLossy || pauseDays !== undefined) return plan
  const items = [...plan.items, ...lost].sort((a, b) => a.phase - b.phase || a.at - b.at)
  return { ...plan, knobs: { ...plan.knobs, outageDays }, items }
}

function drawKnobs(seed: number, random: Random, spanMs: number): Knobs {
  const family: PoolFamily = random.chance(0.85) ? 'rskj' : 'geth'
  const workers = random.int(1, 3)
  const maxInFlight = random.weighted([
    [15, 3],
    [4, 1],
    [2, 1],
  ])
  const blockMs = random.pick([8, 24, 30]) * secondMs
  const isLender = createRandom(seed, 'lender').chance(lenderShare)
  return {
    family,
    rules: {
      ...poolRules.rootstock,
      maxInFlight,
      confirmations: random.weighted([
        [1, 2],
        [2, 3],
        [4, 2],
        [12, 1],
      ]),
      watchBlocks: random.pick([16, 20, 50]),
      tendMs: random.pick([5, 10, 10, 20]) * secondMs,
      // Drawn apart, so that a seed's other knobs stay what they were.
      meansMs: createRandom(seed, 'means').pick([0, 5, 25, 100]) * secondMs,
    },
    slots: family === 'rskj' ? maxInFlight + 1 : 1_000,
    evictAfterBlocks: random.pick([3, 10, 10]),
    evictAfterMs: random.pick([100, 650, 650]) * secondMs,
    preflight: random.chance(0.9),
    limits: drawLimits(createRandom(seed, 'limits'), isLender),
    workers,
    callers: random.int(2, 4),
    skewsMs: Array.from({ length: workers }, () =>
      random.chance(0.3) ? random.int(-20 * secondMs, 20 * secondMs) : 0,
    ),
    blockMs,
    isRegular: random.chance(0.3),
    inclusion: random.pick([1, 0.9, 0.6]),
    returned: random.pick([1, 0.7, 0]),
    slowness: random.pick([1, 1, 3]),
    ...drawPool(createRandom(seed, 'pool')),
    rates: drawRates(random),
    maxBehindMs: random.chance(0.8) ? 25 * secondMs : 2 * minuteMs,
    maxGasPriceWei: usualMaxGasPriceWei,
    troubledMs: spanMs + random.int(10, 300) * secondMs,
    pauseDays: random.chance(0.12) ? random.pick([6, 8, 8.05, 8.3, 9, 12]) : undefined,
    outageDays: undefined,
    isSignedForReal: seed % 500 === 0,
    isLender,
  }
}

/** Drawn apart, so that a seed's other knobs stay what they were. */
function drawLimits(random: Random, isLender: boolean): Knobs['limits'] {
  const hasDay = random.chance(isLender ? 0.5 : 0.15)
  return {
    openPayments: random.weighted([
      [3, 6],
      [1, 1],
      [16, 3],
    ]),
    transfersADay: hasDay ? random.int(1, 4) : undefined,
    sentADayWei: hasDay ? BigInt(random.int(5, 40)) * milliWei : undefined,
    dialsAMinute: random.pick([60, 3]),
  }
}

/** Mostly enough for all, sometimes for a few: then callers want what is left at the same time. */
function drawPool(random: Random): Pick<Knobs, 'poolLoans' | 'capLoans'> {
  const isScarce = random.chance(0.2)
  const isCapped = random.chance(0.1)
  return { poolLoans: isScarce ? random.int(1, 2) : 6, capLoans: isCapped ? random.int(1, 2) : 100 }
}
