import { createRandom, type Random } from '../../random.ts'
import { drawAlternations, drawEvents, drawLasting, drawRare, drawRotations } from '../events.ts'
import type { Money } from '../money.ts'
import { type Item, inOrder, type Plan } from '../plan.ts'
import { minuteMs, secondMs } from '../units.ts'
import { type DrawAt, drawCrowd, drawDials, drawEnds, drawGreedy } from './dials.ts'
import { drawFinal } from './final.ts'
import { drawLender } from './lender.ts'
import { dayOutage, drawSetup, halfDayOutage } from './setup.ts'
import { drawTraffic } from './traffic.ts'

/** A limit of what a unit of gas may cost that replacements meet soon. */
const tightGasPriceWei = 100_000_000n

/**
 * Draws the plan of a seed; what is drawn by a name of its own leaves the rest what it was.
 * `money` is counted in place of what the seed draws.
 */
export function drawPlan(seed: number, money?: Money): Plan {
  const random = createRandom(seed, 'plan')
  const spanMs = random.pick([5 * secondMs, 40 * secondMs, 3 * minuteMs, 8 * minuteMs])
  const setup = drawSetup(seed, random, spanMs, money)
  let id = 0
  const nextId = () => id++
  const shared = { setup, spanMs, nextId }
  const drawAt: DrawAt = (own, phase) => ({ ...shared, random: own, phase })
  const items: Item[] = []
  const isCrowded = random.chance(0.12)
  for (const phase of setup.pauseDays === undefined ? [0 as const] : [0 as const, 1 as const]) {
    const draw = drawAt(random, phase)
    const apart = (name: string) => drawAt(createRandom(seed, `${name} ${phase}`), phase)
    items.push(...drawDials(draw, isCrowded))
    if (random.chance(0.85)) items.push(...drawEvents(draw))
    items.push(...drawAlternations(apart('alternation')), ...drawLasting(apart('lasting')))
    items.push(...drawGreedy(apart('greedy')), ...drawRotations(apart('rotation')))
  }
  items.push(...drawEnds(createRandom(seed, 'ends'), items, nextId))
  items.push(...drawRare(seed, items, drawAt))
  const crowd = drawCrowd(drawAt(createRandom(seed, 'crowd'), 0))
  items.push(...crowd.items)
  // A ledger that lost its rows does not know of another key than the one of now.
  const isLossy = items.some(({ kind }) => kind === 'loss' || kind === 'tail_loss')
  const met = isLossy ? items.filter(({ kind }) => kind !== 'rotation') : items
  const isDearer = items.some(({ kind }) => kind === 'lasting_price')
  // A low limit stops replacements early; below a price that stays, it would stop all payments.
  const isTight = !isDearer && createRandom(seed, 'gas price').chance(0.15)
  const maxGasPriceWei = isTight ? tightGasPriceWei : setup.maxGasPriceWei
  // Blocks that take what they could are what a queue's length is judged by.
  const inclusion = crowd.size > 0 ? 1 : setup.inclusion
  const crowded = { ...setup, maxGasPriceWei, inclusion, callers: setup.callers + crowd.size }
  const plan = { seed, setup: crowded, items: inOrder(met) }
  const drawn = isLossy ? plan : withOutage(plan, createRandom(seed, 'outage'))
  if (!setup.isLender) return drawn
  const lender = drawLender(drawn, drawAt)
  const more = [...drawTraffic(lender, drawAt), ...drawFinal(lender, drawAt)]
  return { ...lender, items: inOrder([...lender.items, ...more]) }
}

/** Stops a relay, with open payments, until the forwarder forgets what they spent. */
function withOutage(plan: Plan, random: Random): Plan {
  const { pauseDays } = plan.setup
  const isDown = random.chance(0.05)
  const longDays = random.pick([5.5, 6.2, 7.05, 7.5, 7.8])
  const isShort = (name: string, share: number) =>
    plan.setup.isAssuring && createRandom(plan.seed, name).chance(share)
  const shortDays = isShort('half a day', 0.15)
    ? halfDayOutage
    : isShort('a day', 0.15)
      ? dayOutage
      : undefined
  const outageDays = shortDays ?? (isDown ? longDays : undefined)
  if (pauseDays !== undefined) return plan
  return { ...plan, setup: { ...plan.setup, outageDays } }
}
