import { poolRules } from '../../../../src/chain/chains.ts'
import { createRandom, type Random } from '../../random.ts'
import { drawAlternations, drawEvents, drawLasting, drawRare } from '../events.ts'
import { drawRates } from '../faults.ts'
import { type Item, inOrder, type Knobs, milliWei, minuteMs, type Plan, secondMs } from '../plan.ts'
import { drawCrowd, drawDials, drawEnds, drawGreedy, type Scene } from './dials.ts'
import { drawLender } from './lender.ts'

/** What `src/compose/config.ts` lets the relay pay on Rootstock, and a limit that replacements meet soon. */
const usualMaxGasPriceWei = 1_000_000_000n
const tightGasPriceWei = 100_000_000n

/** Share of the histories that are a lender's. */
const lenderShare = 0.25

/**
 * The plan that a seed stands for. What is drawn by a name of its own is drawn apart, so that a seed's others
 * stay what they were.
 */
export function planOf(seed: number): Plan {
  const random = createRandom(seed, 'plan')
  const spanMs = random.pick([5 * secondMs, 40 * secondMs, 3 * minuteMs, 8 * minuteMs])
  const knobs = drawKnobs(seed, random, spanMs)
  let id = 0
  const nextId = () => id++
  const sceneOf = (own: Random, phase: 0 | 1): Scene => ({
    random: own,
    knobs,
    phase,
    spanMs,
    nextId,
  })
  const items: Item[] = []
  const isCrowded = random.chance(0.12)
  for (const phase of knobs.pauseDays === undefined ? [0 as const] : [0 as const, 1 as const]) {
    const scene = sceneOf(random, phase)
    const apart = (name: string) => sceneOf(createRandom(seed, `${name} ${phase}`), phase)
    items.push(...drawDials(scene, isCrowded))
    if (random.chance(0.85)) items.push(...drawEvents(scene))
    items.push(...drawAlternations(apart('alternation')), ...drawLasting(apart('lasting')))
    items.push(...drawGreedy(apart('greedy')))
  }
  items.push(...drawEnds(createRandom(seed, 'ends'), items, nextId))
  items.push(...drawRare(seed, items, sceneOf))
  const crowd = drawCrowd(sceneOf(createRandom(seed, 'crowd'), 0))
  items.push(...crowd.items)
  const isDearer = items.some(({ kind }) => kind === 'lasting_price')
  // A low limit stops replacements early; below a price that stays, it would stop payments for good.
  const isTight = !isDearer && createRandom(seed, 'gas price').chance(0.15)
  const maxGasPriceWei = isTight ? tightGasPriceWei : knobs.maxGasPriceWei
  // Blocks that take what they could are what a queue's length is judged by.
  const inclusion = crowd.size > 0 ? 1 : knobs.inclusion
  const callers = knobs.callers + crowd.size
  const plan = {
    seed,
    knobs: { ...knobs, maxGasPriceWei, inclusion, callers },
    items: inOrder(items),
  }
  const drawn = withOutage(plan, createRandom(seed, 'outage'))
  return knobs.isLender ? drawLender(drawn, sceneOf) : drawn
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
  const items = inOrder([...plan.items, ...lost])
  return { ...plan, knobs: { ...plan.knobs, outageDays }, items }
}

function drawKnobs(seed: number, random: Random, spanMs: number): Knobs {
  const family = random.chance(0.85) ? 'rskj' : 'geth'
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
      meansMs: createRandom(seed, 'means').pick([0, 5, 25, 100]) * secondMs,
      maxInBatch: createRandom(seed, 'batch').pick([1, 2, 3, 12]),
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
