import { type PoolRules, poolRules } from '../../../src/chain/chains.ts'
import type { AccountLimits } from '../../../src/relay/pay/admission.ts'
import { createRandom, type Random } from '../random.ts'
import { drawRates, type FaultRates } from './faults.ts'
import type { PoolFamily } from './model/pool.ts'
import { type LosableTable, losableTables } from './relay/ledger-host.ts'

/** A whole history before it happens. Every item can be left out, and the rest still makes sense. */
export type Plan = { seed: number; knobs: Knobs; items: readonly Item[] }

/** What a run is like throughout. */
export type Knobs = {
  family: PoolFamily
  rules: PoolRules
  /** Nonces of an account that the pool takes. */
  slots: number
  evictAfterBlocks: number
  evictAfterMs: number
  preflight: boolean
  limits: AccountLimits & { dialsAMinute: number }
  workers: number
  callers: number
  /** How wrong each Worker's clock is. */
  skewsMs: readonly number[]
  blockMs: number
  /** Blocks come exactly so often, or by chance. */
  isRegular: boolean
  /** How likely a miner takes a transaction that it could take. */
  inclusion: number
  /** How likely a transaction goes back to the pool when its block goes. */
  returned: number
  slowness: number
  /** Loans that the pool has for all at the start, and that the daily cap lets through. */
  poolLoans: number
  capLoans: number
  rates: FaultRates
  maxBehindMs: number
  /** What the operator lets the relay pay for a unit of gas. */
  maxGasPriceWei: bigint
  /** Faults are drawn for so long from a phase's start. */
  troubledMs: number
  /** Days between the two phases, in the second of which session ids are used again. */
  pauseDays: number | undefined
  isSignedForReal: boolean
  /** The history ends with the trials of its ledger. */
  isTried: boolean
}

/** What a caller wants, in words that the oracle understands without the menu. */
export type Wanted =
  | { kind: 'transfer'; to: number; amountWei: bigint }
  | { kind: 'loan' }
  | { kind: 'repayment'; amountWei: bigint | 'all' }
  /** Too many wrong answers, or an answer after the last screen: it ends the session. */
  | { kind: 'nothing' }

/** `phase` and `at` (ms from its start) say when. */
export type Item = { phase: 0 | 1; at: number } & (
  | Dial
  | { kind: 'reorganization'; depth: number; blocks: number }
  /** Two branches that alternate: `blocks` may be as many as they replace, with other hashes. */
  | { kind: 'alternation'; depth: number; blocks: number; forMs: number }
  | { kind: 'eviction'; share: number }
  | { kind: 'price'; forMs: number; times: number }
  /** The least gas price is another one for good: what waits at the old one has to be outbid. */
  | { kind: 'lasting_price'; times: number }
  | { kind: 'shortage'; forMs: number }
  | { kind: 'foreign'; nonce: 'next' | 'after_pool'; times: number }
  | { kind: 'unlisted'; forMs: number }
  | { kind: 'pause'; forMs: number }
  | { kind: 'withdrawal'; caller: number }
  | { kind: 'loss' }
  | { kind: 'row_loss'; table: LosableTable }
  | { kind: 'restart'; downMs: number }
  | { kind: 'worker_restart'; worker: number }
  | { kind: 'node_down'; forMs: number; share: number }
  | { kind: 'no_blocks'; forMs: number }
  /** Workers are told of so many transactions more than the chain has of the relayer. */
  | { kind: 'miscount'; forMs: number; by: number }
)

/** One delivery of a session's text to a Worker. */
export type Dial = {
  kind: 'dial'
  /** Names the delivery, whatever else is left out. */
  id: number
  session: string
  caller: number
  text: string
  wanted: Wanted
  worker: number
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const milliWei = 1_000_000_000_000_000n

/** What every caller has at the start, in thousandths. */
export const startMillis = 20

/** Of a loan. */
export const principalWei = 10n * milliWei

/** The number of a caller; its national form is what others type. */
export const phoneOf = (caller: number): string => `+2547${digitsOf(caller)}`
const typedPhone = (caller: number): string => `07${digitsOf(caller)}`
const digitsOf = (caller: number): string => `${caller}`.padStart(8, '0')

/** What `src/compose/config.ts` lets the relay pay on Rootstock, and a limit that replacements meet soon. */
const usualMaxGasPriceWei = 1_000_000_000n
const tightGasPriceWei = 100_000_000n

/** One history of so many ends with trials: they take as long as it does. */
const triedEach = 16

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
  return {
    seed,
    knobs: { ...knobs, maxGasPriceWei, inclusion, callers: knobs.callers + crowd.size },
    items: items.sort((a, b) => a.phase - b.phase || a.at - b.at),
  }
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
    limits: drawLimits(createRandom(seed, 'limits')),
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
    isSignedForReal: seed % 500 === 0,
    isTried: seed % triedEach === 1,
  }
}

/** Drawn apart, so that a seed's other knobs stay what they were. */
function drawLimits(random: Random): Knobs['limits'] {
  const hasDay = random.chance(0.15)
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

function drawDials(
  random: Random,
  knobs: Knobs,
  phase: 0 | 1,
  spanMs: number,
  isCrowded: boolean,
  counter: { next: number },
): Item[] {
  const items: Item[] = []
  const sessions = isCrowded ? random.int(8, 14) : random.int(1, 5)
  for (let index = 0; index < sessions; index++) {
    const session = `s${index}`
    const caller = random.int(0, knobs.callers - 1)
    const wanted = drawWanted(random, knobs, caller)
    const start = random.int(0, isCrowded ? Math.min(spanMs, 10 * secondMs) : spanMs)
    const dial = (by: number, what: Wanted, at: number) =>
      items.push({
        phase,
        at,
        kind: 'dial',
        id: counter.next++,
        session,
        caller: by,
        text: textOf(what),
        wanted: what,
        worker: random.int(0, knobs.workers - 1),
      })
    dial(caller, wanted, start)
    const repeats = isCrowded
      ? 0
      : random.weighted([
          [0, 4],
          [1, 4],
          [2, 2],
          [4, 1],
        ])
    for (let repeat = 0; repeat < repeats; repeat++) {
      dial(caller, wanted, start + drawDelay(random))
    }
    // The same session, and another intent: a gateway's mistake or an attacker's try.
    if (random.chance(0.12)) {
      dial(caller, drawWanted(random, knobs, caller), start + drawDelay(random))
    }
    if (random.chance(0.08)) {
      const other = (caller + 1) % knobs.callers
      dial(other, drawWanted(random, knobs, other), start + drawDelay(random))
    }
  }
  return items
}

/**
 * Deliveries of some sessions that ask for nothing and end it, before their others and after. Drawn apart,
 * so that a seed's others stay what they were.
 */
function drawEnds(
  random: Random,
  items: readonly Item[],
  counter: { next: number },
): (Item & { kind: 'dial' })[] {
  return items.flatMap((item) => {
    if (item.kind !== 'dial' || !random.chance(0.07)) return []
    const text = random.pick([`${item.text}*1`, `${item.text}*9*9`, '9*9*9', '1*1'])
    const at = Math.max(0, item.at + random.pick([-1, 1, 1]) * drawDelay(random))
    return [{ ...item, at, text, wanted: { kind: 'nothing' }, id: counter.next++ }]
  })
}

/**
 * What has to meet something else to show anything, drawn for each phase with what it has to meet. Drawn
 * apart, so that a seed's others stay what they were.
 */
function drawRare(
  seed: number,
  knobs: Knobs,
  items: readonly Item[],
  counter: { next: number },
): Item[] {
  const phases = [...new Set(items.map(({ phase }) => phase))]
  return phases.flatMap((phase) => {
    const dials = items.filter((item) => item.phase === phase && item.kind === 'dial')
    return [
      ...drawOutage(createRandom(seed, `outage ${phase}`), dials),
      ...drawForgotten(createRandom(seed, `forgotten ${phase}`), knobs, dials, counter),
      ...drawRefuted(createRandom(seed, `refuted ${phase}`), knobs, dials),
      ...drawMiscount(createRandom(seed, `miscount ${phase}`), dials),
    ]
  })
}

/** The node, or the chain, stands still for longer than a request is good for, soon after a dial. */
function drawOutage(random: Random, dials: readonly Item[]): Item[] {
  const dial = random.chance(0.01) ? random.pick(dials) : undefined
  if (dial === undefined) return []
  const at = Math.max(0, dial.at + random.int(-2, 30) * secondMs)
  const forMs = random.int(122, 140) * minuteMs
  const event = random.pick([
    { kind: 'node_down' as const, forMs, share: 1 },
    { kind: 'no_blocks' as const, forMs },
  ])
  return [{ phase: dial.phase, at, ...event }]
}

/** The ledger is lost, its callers dial once more, and what that found on the chain leaves it again. */
function drawForgotten(
  random: Random,
  knobs: Knobs,
  dials: readonly Item[],
  counter: { next: number },
): Item[] {
  const first = random.chance(0.05) ? random.pick(dials) : undefined
  if (first === undefined) return []
  const { phase } = first
  const lostAt = first.at + random.int(1, 4) * knobs.blockMs
  const again = dials
    .filter((item) => item.kind === 'dial' && item.at <= lostAt)
    .map((item) => ({ ...item, at: lostAt + random.int(1, 30) * secondMs, id: counter.next++ }))
  const after = lostAt + 30 * secondMs
  const moved = random.chance(0.5) ? drawMoved(random, knobs, first) : []
  return [
    { phase, at: lostAt, kind: 'loss' },
    ...[...again, ...moved],
    drawDeep(random, knobs, phase, after),
  ] as Item[]
}

/** A payment fails, since its money is moved away, and its block is lost once that is final. */
function drawRefuted(random: Random, knobs: Knobs, dials: readonly Item[]): Item[] {
  const dial = random.chance(0.04) ? random.pick(dials) : undefined
  if (dial === undefined) return []
  return [
    ...drawMoved(random, knobs, dial),
    drawDeep(random, knobs, dial.phase, dial.at + knobs.blockMs),
  ]
}

/** The caller's money goes before a block has the payment. */
function drawMoved(random: Random, { blockMs }: Knobs, dial: Item): Item[] {
  if (dial.kind !== 'dial') return []
  const { phase, caller } = dial
  return [{ phase, at: dial.at + random.int(0, blockMs), kind: 'withdrawal', caller }]
}

/** A reorganization of so many blocks that it may take what is final. */
function drawDeep(random: Random, { rules, blockMs }: Knobs, phase: 0 | 1, after: number): Item {
  const depth = random.int(1, Math.min(12, rules.watchBlocks - 6))
  const at = after + random.int(0, (rules.confirmations + 2) * blockMs)
  return { phase, at, kind: 'reorganization', depth, blocks: depth + 1 }
}

/** Workers hear of more transactions than the chain has, so they take nonces above its count. */
function drawMiscount(random: Random, dials: readonly Item[]): Item[] {
  const dial = random.chance(0.04) ? random.pick(dials) : undefined
  if (dial === undefined) return []
  const at = Math.max(0, dial.at - secondMs)
  const forMs = random.int(2, 60) * secondMs
  return [{ phase: dial.phase, at, kind: 'miscount', forMs, by: random.int(1, 40) }]
}

/** One caller who dials again and again for next to nothing, drawn apart and last. */
function drawGreedy(
  random: Random,
  { callers, workers }: Knobs,
  phase: 0 | 1,
  spanMs: number,
  counter: { next: number },
): Item[] {
  if (!random.chance(0.08)) return []
  const caller = random.int(0, callers - 1)
  const from = random.int(0, spanMs)
  const wanted: Wanted = { kind: 'transfer', to: (caller + 1) % callers, amountWei: milliWei / 10n }
  return Array.from({ length: random.int(6, 30) }, (_, index) => ({
    ...{ phase, kind: 'dial' as const, id: counter.next++, session: `g${index}`, caller },
    at: from + random.int(0, 30 * secondMs),
    ...{ text: textOf(wanted), wanted, worker: random.int(0, workers - 1) },
  }))
}

/** Hundreds of callers besides the others, who dial at about the same time, drawn apart and last. */
function drawCrowd(
  random: Random,
  { callers, workers }: Knobs,
  spanMs: number,
  counter: { next: number },
): { size: number; items: Item[] } {
  if (!random.chance(0.004)) return { size: 0, items: [] }
  const size = random.int(100, 300)
  const from = random.int(0, spanMs)
  const wanted: Wanted = { kind: 'transfer', to: 0, amountWei: milliWei }
  const items = Array.from({ length: size }, (_, member) =>
    Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (__, index) => ({
      ...{ phase: 0 as const, kind: 'dial' as const, id: counter.next++ },
      ...{ session: `c${member}-${index}`, caller: callers + member },
      at: from + random.int(0, 20 * secondMs),
      ...{ text: textOf(wanted), wanted, worker: random.int(0, workers - 1) },
    })),
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

function drawWanted(random: Random, knobs: Knobs, caller: number): Wanted {
  const isScarce = Math.min(knobs.poolLoans, knobs.capLoans) <= 2
  const kind = random.weighted([
    ['transfer', 6],
    ['loan', isScarce ? 12 : 2],
    ['repayment', 2],
  ] as const)
  switch (kind) {
    case 'transfer': {
      const to = (caller + random.int(1, knobs.callers - 1)) % knobs.callers
      // Mostly small; sometimes so much that two of them are too much.
      const millis = random.weighted([
        [random.int(1, 4), 5],
        [random.int(11, startMillis + 5), 3],
      ])
      return { kind, to, amountWei: BigInt(millis) * milliWei }
    }
    case 'loan':
      return { kind }
    case 'repayment':
      return { kind, amountWei: random.chance(0.5) ? 'all' : BigInt(random.int(1, 12)) * milliWei }
  }
}

function textOf(wanted: Wanted): string {
  switch (wanted.kind) {
    case 'transfer':
      return `2*${typedPhone(wanted.to)}*${decimal(wanted.amountWei)}`
    case 'loan':
      return '3'
    case 'repayment':
      return wanted.amountWei === 'all' ? '4*1' : `4*2*${decimal(wanted.amountWei)}`
    case 'nothing':
      return '9*9*9'
  }
}

const decimal = (wei: bigint): string =>
  `0.${((wei * 10n) / milliWei).toString().padStart(4, '0')}`.replace(/0$/, '')

/** Which kinds of events a run has is drawn first, so that each kind gets runs without the others. */
function drawEvents(random: Random, knobs: Knobs, phase: 0 | 1, spanMs: number): Item[] {
  const kinds = [
    'reorganization',
    'eviction',
    'price',
    'shortage',
    'foreign',
    'unlisted',
    'pause',
    'withdrawal',
    'loss',
    'row_loss',
    'restart',
    'worker_restart',
    'node_down',
    'no_blocks',
  ] as const satisfies readonly Item['kind'][]
  const items: Item[] = []
  const share = random.pick([0.08, 0.08, 0.2])
  // Late enough to meet payments in blocks, and confirmed ones.
  const lastMs = spanMs + random.pick([10, 60, 400]) * secondMs
  for (const kind of kinds) {
    if (!random.chance(share)) continue
    const times = random.weighted([
      [1, 5],
      [2, 2],
      [4, 1],
    ])
    for (let time = 0; time < times; time++) {
      items.push({ phase, at: random.int(0, lastMs), ...drawEvent(random, knobs, kind) })
    }
  }
  return items
}

/** Drawn apart from the other events, so that a seed's others stay what they were. */
function drawAlternations(random: Random, phase: 0 | 1, spanMs: number, knobs: Knobs): Item[] {
  if (!random.chance(0.1)) return []
  return Array.from({ length: random.int(1, 2) }, () => {
    const depth = random.int(1, 3)
    return {
      phase,
      at: random.int(0, spanMs + 60 * secondMs),
      kind: 'alternation' as const,
      depth,
      blocks: depth + random.int(0, 1),
      forMs: random.int(1, 3 * knobs.blockMs),
    }
  })
}

/** What lasts for longer than a request is good for. */
function drawLasting(random: Random, phase: 0 | 1, spanMs: number): Item[] {
  const at = random.int(0, spanMs + 60 * secondMs)
  if (random.chance(0.06)) {
    return [{ phase, at, kind: 'lasting_price', times: random.pick([1.3, 2]) }]
  }
  return random.chance(0.02) ? [{ phase, at, kind: 'unlisted', forMs: 135 * minuteMs }] : []
}

type EventKind = Exclude<Item['kind'], 'dial' | 'alternation' | 'lasting_price' | 'miscount'>
type EventBody = Exclude<
  Item extends infer One ? (One extends Item ? Omit<One, 'phase' | 'at'> : never) : never,
  Dial
>

function drawEvent(random: Random, knobs: Knobs, kind: EventKind): EventBody {
  const { confirmations, watchBlocks } = knobs.rules
  switch (kind) {
    case 'reorganization': {
      const depth = random.weighted([
        [random.int(1, 3), 5],
        [random.int(1, Math.max(1, confirmations)), 2],
        [random.int(1, Math.min(12, watchBlocks - 6)), 2],
      ])
      // Longer than before as chains are, or shorter: a chain that was restored from an old copy.
      const blocks = random.chance(0.75) ? depth + random.int(1, 2) : random.int(0, depth)
      return { kind, depth, blocks }
    }
    case 'eviction':
      return { kind, share: random.pick([1, 0.5]) }
    case 'price':
      return { kind, forMs: random.int(1, 12) * minuteMs, times: random.pick([1.2, 1.5, 3, 100]) }
    case 'shortage':
      return { kind, forMs: random.int(1, 10) * minuteMs }
    case 'foreign':
      return {
        kind,
        nonce: random.pick(['next', 'after_pool'] as const),
        times: random.pick([1, 2]),
      }
    case 'unlisted':
    case 'pause':
      return { kind, forMs: random.int(10, 200) * secondMs }
    case 'withdrawal':
      return { kind, caller: random.int(0, knobs.callers - 1) }
    case 'loss':
      return { kind }
    case 'row_loss':
      return { kind, table: random.pick(losableTables) }
    case 'restart':
      return { kind, downMs: random.pick([10, 300, 9_000]) }
    case 'worker_restart':
      return { kind, worker: random.int(0, knobs.workers - 1) }
    case 'node_down':
      return { kind, forMs: random.int(1, 240) * secondMs, share: random.pick([1, 1, 0.5]) }
    case 'no_blocks':
      return { kind, forMs: random.int(60, 700) * secondMs }
  }
}
