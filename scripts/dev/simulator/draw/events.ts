import { ledgerRules } from '../../../../src/relay/ledger/port.ts'
import { createRandom, type Random } from '../../random.ts'
import { type Dial, type Item, type Knobs, losableTables } from '../plan.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs

/** Which kinds of events a run has is drawn first, so that each kind gets runs without the others. */
export function drawEvents(random: Random, knobs: Knobs, phase: 0 | 1, spanMs: number): Item[] {
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
export function drawAlternations(
  random: Random,
  phase: 0 | 1,
  spanMs: number,
  knobs: Knobs,
): Item[] {
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
export function drawLasting(random: Random, phase: 0 | 1, spanMs: number): Item[] {
  const at = random.int(0, spanMs + 60 * secondMs)
  if (random.chance(0.06)) {
    return [{ phase, at, kind: 'lasting_price', times: random.pick([1.3, 2]) }]
  }
  return random.chance(0.02) ? [{ phase, at, kind: 'unlisted', forMs: 135 * minuteMs }] : []
}

type EventKind = Exclude<
  Item['kind'],
  'dial' | 'alternation' | 'lasting_price' | 'miscount' | 'unlock' | 'freeze'
>
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

/**
 * What has to meet something else to show anything, drawn for each phase with what it has to meet. Drawn
 * apart, so that a seed's others stay what they were.
 */
export function drawRare(
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
      ...drawFrozen(createRandom(seed, `frozen ${phase}`), knobs, dials, counter),
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

/** A Worker is not run from its claim to the claim's end, while another one is asked the same. */
function drawFrozen(
  random: Random,
  { workers, slowness }: Knobs,
  dials: readonly Item[],
  counter: { next: number },
): Item[] {
  const dial = random.chance(0.05) ? random.pick(dials) : undefined
  if (dial?.kind !== 'dial' || workers === 1) return []
  const { phase, at, worker } = dial
  const from = at + slowness * random.int(100, 600)
  const again = at + ledgerRules.leaseMs + random.int(0, 2 * secondMs)
  return [
    { phase, at: from, kind: 'freeze', worker, forMs: again - from + random.int(0, 3 * secondMs) },
    { ...dial, at: again, id: counter.next++, worker: (worker + 1) % workers },
  ]
}

/** Workers hear of more transactions than the chain has, so they take nonces above its count. */
function drawMiscount(random: Random, dials: readonly Item[]): Item[] {
  const dial = random.chance(0.04) ? random.pick(dials) : undefined
  if (dial === undefined) return []
  const at = Math.max(0, dial.at - secondMs)
  const forMs = random.int(2, 60) * secondMs
  return [{ phase: dial.phase, at, kind: 'miscount', forMs, by: random.int(1, 40) }]
}
