import type { Random } from '../../random.ts'
import { type Dial, type Item, startMillis, type WantedPayment, writeText } from '../plan.ts'
import { minuteMs, secondMs } from '../units.ts'
import type { Setup } from './setup.ts'

export type Draw = {
  random: Random
  setup: Setup
  phase: 0 | 1
  spanMs: number
  nextId: () => number
}

export type DrawAt = (random: Random, phase: 0 | 1) => Draw

export type DialItem = Item & Dial

/** Makes a delivery of what its caller wants to any Worker; in other words if some are given. */
export const createDial = (
  { random, setup, phase, nextId }: Draw,
  dial: Pick<DialItem, 'at' | 'session' | 'caller' | 'wanted'> & Partial<DialItem>,
): DialItem => ({
  phase,
  kind: 'dial',
  id: nextId(),
  text: writeText(dial.wanted, setup),
  worker: random.int(0, setup.workers - 1),
  ...dial,
})

export const dialAgain = ({ nextId }: Draw, dial: DialItem, at: number): DialItem => ({
  ...dial,
  at,
  id: nextId(),
})

export function drawDials(draw: Draw, isCrowded: boolean): Item[] {
  const { random, setup, spanMs } = draw
  const items: Item[] = []
  const sessions = isCrowded ? random.int(8, 14) : random.int(1, 5)
  for (let index = 0; index < sessions; index++) {
    const session = `s${index}`
    const caller = random.int(0, setup.callers - 1)
    const wanted = drawWanted(random, setup, caller)
    const start = random.int(0, isCrowded ? Math.min(spanMs, 10 * secondMs) : spanMs)
    const dial = (by: number, what: WantedPayment, at: number) =>
      items.push(createDial(draw, { at, session, caller: by, wanted: what }))
    dial(caller, wanted, start)
    const repeats = isCrowded ? 0 : random.pick([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 4])
    for (let repeat = 0; repeat < repeats; repeat++) {
      dial(caller, wanted, start + drawDelay(random))
    }
    // The same session, and another intent: a gateway's mistake or an attacker's try.
    if (random.chance(0.12)) {
      dial(caller, drawWanted(random, setup, caller), start + drawDelay(random))
    }
    if (random.chance(0.08)) {
      const other = (caller + 1) % setup.callers
      dial(other, drawWanted(random, setup, other), start + drawDelay(random))
    }
  }
  return items
}

/** Deliveries of some sessions that ask for nothing and end it, before their others and after. */
export const drawEnds = (random: Random, items: readonly Item[], nextId: () => number): Item[] =>
  items.flatMap((item) => {
    if (item.kind !== 'dial' || !random.chance(0.07)) return []
    const text = random.pick([`${item.text}*1`, `${item.text}*9*9`, '9*9*9', '1*1'])
    const at = Math.max(0, item.at + random.pick([-1, 1, 1]) * drawDelay(random))
    return [{ ...item, at, text, wanted: { kind: 'nothing' as const }, id: nextId() }]
  })

export function drawGreedy(draw: Draw): Item[] {
  const { random, spanMs } = draw
  const { callers } = draw.setup
  if (!random.chance(0.08)) return []
  const caller = random.int(0, callers - 1)
  const from = random.int(0, spanMs)
  const to = (caller + 1) % callers
  const wanted: WantedPayment = { kind: 'transfer', to, amountWei: draw.setup.stepWei / 10n }
  return Array.from({ length: random.int(6, 30) }, (_, index) => {
    const at = from + random.int(0, 30 * secondMs)
    return createDial(draw, { at, session: `g${index}`, caller, wanted })
  })
}

/** Hundreds of callers besides the others, who dial at about the same time. */
export function drawCrowd(draw: Draw): { size: number; items: Item[] } {
  const { random, spanMs } = draw
  const { callers } = draw.setup
  if (!random.chance(0.004)) return { size: 0, items: [] }
  const size = random.int(100, 300)
  const from = random.int(0, spanMs)
  const wanted: WantedPayment = { kind: 'transfer', to: 0, amountWei: draw.setup.stepWei }
  const items = Array.from({ length: size }, (_, member) =>
    Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (__, index) => {
      const at = from + random.int(0, 20 * secondMs)
      const [caller, session] = [callers + member, `c${member}-${index}`]
      return createDial(draw, { at, session, caller, wanted })
    }),
  )
  return { size, items: items.flat() }
}

/** How long after the first delivery another one comes: at the same time, soon, or much later. */
function drawDelay(random: Random): number {
  const [min, max] = random.weighted([
    [[0, 60], 3],
    [[60, 3 * secondMs], 3],
    [[3 * secondMs, 20 * secondMs], 3],
    [[20 * secondMs, 6 * minuteMs], 2],
  ] as const)
  return random.int(min, max)
}

function drawWanted(random: Random, setup: Setup, caller: number): WantedPayment {
  const isScarce = Math.min(setup.poolLoans, setup.capLoans) <= 2
  const kind = random.weighted([
    ['transfer', 6],
    ['loan', isScarce ? 12 : 2],
    ['repayment', 2],
  ] as const)
  switch (kind) {
    case 'transfer': {
      const to = (caller + random.int(1, setup.callers - 1)) % setup.callers
      const millis = random.weighted([
        [random.int(1, 4), 5],
        [random.int(11, startMillis + 5), 3],
      ])
      return { kind, to, amountWei: BigInt(millis) * setup.stepWei }
    }
    case 'loan':
      return { kind }
    case 'repayment':
      return {
        kind,
        amountWei: random.chance(0.5) ? 'all' : BigInt(random.int(1, 12)) * setup.stepWei,
      }
  }
}
