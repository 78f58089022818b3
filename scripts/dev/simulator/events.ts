import type { Address } from 'viem'
import { tryTo } from '../../../src/runtime/log.ts'
import { createRandom, type Random } from '../random.ts'
import { type DialItem, type Draw, type DrawAt, dialAgain } from './draw/dials.ts'
import type { Setup } from './draw/setup.ts'
import { unlock } from './lender/product.ts'
import type { ChainState, ModelBlock } from './model/chain.ts'
import { type ContractState, readAccount as loanAccountOf, sweepInlet } from './model/contracts.ts'
import type { ModelTransaction } from './model/signing.ts'
import type { Item } from './plan.ts'
import {
  adoptsKey,
  copyRows,
  crash,
  giveTills,
  loseEverything,
  loseTail,
  type RowCopy,
  restartWorker,
  setIntake,
  switchKey,
} from './relay/object.ts'
import { deliver } from './relay/workers.ts'
import { poorWei, richWei, startGasPriceWei } from './setting.ts'
import { describeBlock, describeKind, nameTransaction } from './transcript.ts'
import { minuteMs, secondMs } from './units.ts'
import { findAccount, getSigner, type World } from './world.ts'

const strangerAddress: Address = `0x${'5e'.repeat(20)}`

const noOpGas = 21_000

type Kind = Item['kind']
type ItemOf<One extends Kind> = Extract<Item, { kind: One }>

/** A kind of event: how it is drawn, unless others draw it, and what it does. */
type Event<One extends Kind> = {
  draw?: (random: Random, setup: Setup) => Omit<ItemOf<One>, 'phase' | 'at' | 'kind'>
  happen: (world: World, item: ItemOf<One>) => void
}

/** Maps each kind to its event; their order is the order of drawing. */
const events: { [One in Kind]: Event<One> } = {
  reorganization: {
    draw(random, { rules: { confirmations, watchBlocks } }) {
      const depth = random.weighted([
        [random.int(1, 3), 5],
        [random.int(1, Math.max(1, confirmations)), 2],
        [random.int(1, Math.min(12, watchBlocks - 6)), 2],
      ])
      // Mostly longer than before, else shorter, as of a chain that is restored from an old copy.
      const blocks = random.chance(0.75) ? depth + random.int(1, 2) : random.int(0, depth)
      return { depth, blocks }
    },
    happen: reorganize,
  },
  eviction: {
    draw: (random) => ({ share: random.pick([1, 0.5]) }),
    happen({ plan, pools, transcript }, item) {
      const random = randomOf(plan.seed, item)
      const dropped = pools.flatMap((pool) => pool.all()).filter(() => random.chance(item.share))
      for (const { hash, key } of dropped) pools[key]?.remove(hash)
      transcript.tell(
        () => `The pool drops ${dropped.map(nameTransaction).join(', ') || 'nothing'}.`,
      )
    },
  },
  price: {
    draw: (random) => ({
      forMs: random.int(1, 12) * minuteMs,
      times: random.pick([1.2, 1.5, 3, 100]),
    }),
    happen(world, item) {
      const { chain, conditions } = world
      chain.setMinGasPrice(timesUp(conditions.usualGasPriceWei, item.times))
      after(world, item, () => chain.setMinGasPrice(conditions.usualGasPriceWei))
    },
  },
  shortage: {
    draw: (random) => ({ forMs: random.int(1, 10) * minuteMs }),
    happen: changeFor((isBack) => ({ relayerWei: isBack ? richWei : poorWei })),
  },
  foreign: {
    draw: (random) => ({
      nonce: random.pick(['next', 'after_pool'] as const),
      times: random.pick([1, 2]),
    }),
    happen: sendForeign,
  },
  unlisted: {
    draw: (random) => ({ forMs: random.int(10, 200) * secondMs }),
    happen: changeFor((isBack) => ({ isRelayerAllowed: isBack })),
  },
  pause: {
    draw: (random) => ({ forMs: random.int(10, 200) * secondMs }),
    happen: changeFor((isBack) => ({ isPaused: !isBack })),
  },
  withdrawal: {
    draw: (random, { callers }) => ({ caller: random.int(0, callers - 1) }),
    happen: (world, { caller }) =>
      world.chain.change((state) => {
        const account = loanAccountOf(state, findAccount(world, caller))
        loanAccountOf(state, strangerAddress).balanceWei += account.balanceWei
        account.balanceWei = 0n
      }),
  },
  direct: {
    happen: (world, { caller, wei }) =>
      world.chain.change((state) => {
        const account = loanAccountOf(state, findAccount(world, caller))
        const hasEnough = account.balanceWei >= wei
        const sentWei = hasEnough ? wei : account.balanceWei
        account.actions = (account.actions ?? 0) + 1
        account.balanceWei -= sentWei
        loanAccountOf(state, strangerAddress).balanceWei += sentWei
      }),
  },
  loss: {
    draw: () => ({}),
    happen(world) {
      loseEverything(world)
      if (world.plan.setup.isLender) giveTills(world)
      world.records.losses.push({ at: world.scheduler.now() })
    },
  },
  tail_loss: {
    draw: (random) => ({ tailMs: random.pick([1, 10, 60]) * secondMs }),
    happen(world, { tailMs }) {
      const { records, scheduler, transcript } = world
      const copy = copyRows(world)
      scheduler.at(scheduler.now() + tailMs, () => {
        // What was lost whole meanwhile stays so.
        if (records.losses.some(({ at }) => at >= scheduler.now() - tailMs)) return
        const countPayments = (rows: RowCopy) => rows.get('payments')?.length ?? 0
        const lost = countPayments(copyRows(world)) - countPayments(copy)
        loseTail(world, copy)
        records.losses.push({ at: scheduler.now() })
        transcript.tell(
          () => `The ledger loses what it wrote in ${tailMs / secondMs} s, ${lost} payments in it.`,
        )
      })
    },
  },
  restart: {
    draw: (random) => ({ downMs: random.pick([10, 300, 9_000]) }),
    happen: (world, { downMs }) => crash(world, downMs),
  },
  worker_restart: {
    draw: (random, { workers }) => ({ worker: random.int(0, workers - 1) }),
    happen: (world, { worker }) => restartWorker(world, worker),
  },
  node_down: {
    draw: (random) => ({ forMs: random.int(1, 240) * secondMs, share: random.pick([1, 1, 0.5]) }),
    happen({ conditions, scheduler }, { forMs, share }) {
      conditions.nodeDown.push({ until: scheduler.now() + forMs, share })
    },
  },
  no_blocks: {
    draw: (random) => ({ forMs: random.int(60, 700) * secondMs }),
    happen({ conditions, scheduler }, { forMs }) {
      conditions.blocksStopUntil = Math.max(conditions.blocksStopUntil, scheduler.now() + forMs)
    },
  },
  rotation: {
    happen(world, item) {
      const { scheduler } = world
      if (item.drainMs > 0) setIntake(world, 'draining')
      scheduler.at(scheduler.now() + item.drainMs, () => switchKey(world))
      after(world, item, () => {
        if (!adoptsKey(world)) switchKey(world)
        setIntake(world, 'open')
      })
    },
  },
  dial: { happen: (world, item) => deliver(world, item, item.phase, false) },
  alternation: { happen: alternate },
  lasting_price: {
    happen({ chain, conditions }, { times }) {
      conditions.usualGasPriceWei = timesUp(startGasPriceWei, times)
      chain.setMinGasPrice(conditions.usualGasPriceWei)
    },
  },
  miscount: {
    happen({ conditions, scheduler }, { forMs, by }) {
      conditions.miscounts.push({ until: scheduler.now() + forMs, by })
    },
  },
  false_verdict: {
    happen({ conditions, scheduler }, { forMs, ...verdict }) {
      conditions.falseVerdicts.push({ until: scheduler.now() + forMs, ...verdict })
    },
  },
  unlock: {
    happen: (world, { caller }) => void unlock(world.memories, findAccount(world, caller)),
  },
  rate: {
    happen: ({ records, scheduler }, { micros }) =>
      void records.prices.push({ at: scheduler.now(), micros }),
  },
  gift: {
    happen(world, { caller, wei }) {
      const give = (state: ContractState) => {
        loanAccountOf(state, findAccount(world, caller)).balanceWei += wei
        state.outWei -= wei
      }
      world.chain.change(give, { vanishes: true })
    },
  },
  sweep: {
    happen: (world, { caller }) =>
      world.chain.change((state) => sweepInlet(world.world, state, findAccount(world, caller))),
  },
}

export function happen(world: World, item: Item): void {
  const { phase: _, at: __, ...what } = item
  if (item.kind !== 'dial') world.transcript.tell(() => describeKind(what))
  const event = events[item.kind] as { happen: (world: World, item: Item) => void }
  event.happen(world, item)
}

/** Draws which kinds of events a run has, so that some runs have one kind alone. */
export function drawEvents({ random, setup, phase, spanMs }: Draw): Item[] {
  const items: Item[] = []
  const share = random.pick([0.08, 0.08, 0.2])
  // Late enough to meet payments in blocks, and confirmed ones.
  const lastMs = spanMs + random.pick([10, 60, 400]) * secondMs
  for (const [kind, { draw }] of Object.entries(events)) {
    if (draw === undefined || !random.chance(share)) continue
    const times = random.pick([1, 1, 1, 1, 1, 2, 2, 4])
    for (let time = 0; time < times; time++) {
      items.push({ phase, at: random.int(0, lastMs), kind, ...draw(random, setup) } as Item)
    }
  }
  return items
}

/** Draws alternating branches from a generator of their own: other draws stay the same. */
export function drawAlternations({ random, setup, phase, spanMs }: Draw): Item[] {
  if (!random.chance(0.1)) return []
  return Array.from({ length: random.int(1, 2) }, () => {
    const depth = random.int(1, 3)
    const at = random.int(0, spanMs + 60 * secondMs)
    const blocks = depth + random.int(0, 1)
    const forMs = random.int(1, 3 * setup.blockMs)
    return { phase, at, kind: 'alternation', depth, blocks, forMs }
  })
}

/** Draws changes of the relayer's key, with a drain that is long enough or not. */
export function drawRotations(draw: Draw): Item[] {
  const { random, setup, phase, spanMs } = draw
  if (!random.chance(setup.isAssuring ? 0.25 : 0.08)) return []
  return Array.from({ length: random.pick([1, 1, 2]) }, (): Item[] => {
    const at = random.int(0, spanMs + 60 * secondMs)
    const drainMs = random.pick([0, 0.5, 3, 15]) * minuteMs
    const forMs = drainMs + random.int(1, 10) * minuteMs
    const undone = random.chance(0.6) ? [drawDeep(draw, at + drainMs)] : []
    return [{ phase, at, kind: 'rotation', drainMs, forMs }, ...undone]
  }).flat()
}

/** Draws events that last longer than a request is valid. */
export function drawLasting({ random, phase, spanMs }: Draw): Item[] {
  const at = random.int(0, spanMs + 60 * secondMs)
  if (random.chance(0.06)) {
    return [{ phase, at, kind: 'lasting_price', times: random.pick([1.3, 2]) }]
  }
  return random.chance(0.02) ? [{ phase, at, kind: 'unlisted', forMs: 135 * minuteMs }] : []
}

/** Events that show something only if they meet a dial, drawn for each phase. */
const rare: readonly {
  name: string
  share: number
  draw: (draw: Draw, dial: DialItem, dials: readonly DialItem[]) => Item[]
}[] = [
  // The node or the chain stops for longer than a request is valid, soon after a dial.
  {
    name: 'outage',
    share: 0.01,
    draw({ random, phase }, dial) {
      const at = Math.max(0, dial.at + random.int(-2, 30) * secondMs)
      const forMs = random.int(122, 140) * minuteMs
      const stops = random.pick([{ kind: 'node_down', share: 1 }, { kind: 'no_blocks' }] as const)
      return [{ phase, at, forMs, ...stops }]
    },
  },
  // The ledger is lost, its callers dial once more, and what that found leaves the chain again.
  {
    name: 'forgotten',
    share: 0.05,
    draw(draw, first, dials) {
      const { random, setup, phase } = draw
      const lostAt = first.at + random.int(1, 4) * setup.blockMs
      const again = dials
        .filter(({ at }) => at <= lostAt)
        .map((dial) => dialAgain(draw, dial, lostAt + random.int(1, 30) * secondMs))
      const moved = random.chance(0.5) ? [moveAway(draw, first)] : []
      const deep = drawDeep(draw, lostAt + 30 * secondMs)
      return [{ phase, at: lostAt, kind: 'loss' }, ...again, ...moved, deep]
    },
  },
  // A lost ledger knows no nonce, and a payment that it found is undone while nodes hardly answer.
  {
    name: 'unseen',
    share: 0.04,
    draw(draw, _, dials) {
      const { random, phase, setup } = draw
      const { blockMs, rules } = setup
      const last = dials.reduce((one, other) => (other.at > one.at ? other : one))
      const lostAt = last.at + random.int(3, 5) * blockMs
      const again = dialAgain(draw, last, lostAt + random.int(1, 10) * secondMs)
      const at = again.at + (rules.confirmations + 2) * blockMs
      const depth = Math.min(12, rules.watchBlocks - 6)
      const forMs = random.int(5, 9) * minuteMs
      return [
        { phase, at: lostAt, kind: 'loss' },
        again,
        { phase, at, kind: 'reorganization', depth, blocks: depth + 1 },
        // The payment that is sent again fails.
        { phase, at, kind: 'withdrawal', caller: last.caller },
        { phase, at, kind: 'node_down', forMs, share: 0.5 },
      ]
    },
  },
  // A payment fails, since its money is moved away, and its block is lost once that is final.
  {
    name: 'refuted',
    share: 0.04,
    draw: (draw, dial) => [moveAway(draw, dial), drawDeep(draw, dial.at + draw.setup.blockMs)],
  },
  // Workers read a count above the chain's, so they take nonces above it.
  {
    name: 'miscount',
    share: 0.04,
    draw({ random, phase }, dial) {
      const at = Math.max(0, dial.at - secondMs)
      const forMs = random.int(2, 60) * secondMs
      return [{ phase, at, kind: 'miscount', forMs, by: random.int(1, 40) }]
    },
  },
  // One of several nodes, or the only one, refuses what it is sent, for a reason that is untrue.
  {
    name: 'false verdict',
    share: 0.08,
    draw({ random, phase }, dial) {
      const at = Math.max(0, dial.at - random.int(0, 3) * secondMs)
      const forMs = random.int(5, 90) * secondMs
      const refusal = random.pick(['underbid', 'underbid', 'price_too_low', 'nonce_used'] as const)
      const place = random.pick(['first', 'last', 'only'] as const)
      return [{ phase, at, kind: 'false_verdict', forMs, refusal, place }]
    },
  },
]

export function drawRare(seed: number, items: readonly Item[], drawAt: DrawAt): Item[] {
  const phases = [...new Set(items.map(({ phase }) => phase))]
  return phases.flatMap((phase) => {
    const dials = items.filter((one): one is DialItem => one.phase === phase && one.kind === 'dial')
    return rare.flatMap(({ name, share, draw }) => {
      const random = createRandom(seed, `${name} ${phase}`)
      return random.chance(share) ? draw(drawAt(random, phase), random.pick(dials), dials) : []
    })
  })
}

const moveAway = ({ random, setup }: Draw, { phase, at, caller }: DialItem): Item => ({
  phase,
  at: at + random.int(0, setup.blockMs),
  kind: 'withdrawal',
  caller,
})

/** Draws a reorganization so deep that it may take back final blocks. */
function drawDeep({ random, setup: { rules, blockMs }, phase }: Draw, after: number): Item {
  const depth = random.int(1, Math.min(12, rules.watchBlocks - 6))
  const at = after + random.int(0, (rules.confirmations + 2) * blockMs)
  return { phase, at, kind: 'reorganization', depth, blocks: depth + 1 }
}

const returnsOf =
  ({ plan: { seed, setup } }: World, { at }: Item) =>
  ({ hash }: ModelTransaction) =>
    createRandom(seed, `${hash} ${at}`).chance(setup.returned)

function branch(world: World, { removed, added }: Record<'removed' | 'added', ModelBlock[]>): void {
  const { records, scheduler, transcript } = world
  const requests = removed.flatMap(({ transactions }) =>
    transactions.flatMap(({ transaction }) => transaction.requests),
  )
  const payers = new Set(requests.map(({ from }) => from.toLowerCase()))
  records.reorganizations.push({ at: scheduler.now(), removed: removed.length, payers })
  const list = (blocks: ModelBlock[]) => blocks.map(describeBlock).join(' | ') || 'none'
  transcript.tell(() => `The chain loses ${list(removed)} and gets ${list(added)}.`)
}

function reorganize(world: World, item: ItemOf<'reorganization' | 'alternation'>): void {
  const { chain, scheduler } = world
  const returns = returnsOf(world, item)
  branch(world, chain.reorganize(item.depth, item.blocks, scheduler.now(), returns))
}

/** Replaces some blocks by another branch, and later brings them back while they are watched. */
function alternate(world: World, item: ItemOf<'alternation'>): void {
  const { chain, scheduler, plan } = world
  const tip = chain.head()
  reorganize(world, item)
  after(world, item, () => {
    if (chain.depthBelow(tip) > plan.setup.rules.watchBlocks - 6) return
    branch(world, chain.resume(tip, scheduler.now(), returnsOf(world, item)))
  })
}

/** Creates an event that changes the state in the next block, and changes it back later. */
function changeFor(changed: (isBack: boolean) => Partial<ChainState>) {
  return (world: World, item: LastingItem) => {
    world.chain.change((state) => Object.assign(state, changed(false)))
    after(world, item, () => world.chain.change((state) => Object.assign(state, changed(true))))
  }
}

const randomOf = (seed: number, { kind, at }: Item) => createRandom(seed, `${kind} ${at}`)

export const timesUp = (wei: bigint, times: number) => (wei * BigInt(Math.round(times * 10))) / 10n

type LastingItem = Item & { forMs: number }

function after({ scheduler, transcript }: World, item: LastingItem, change: () => void): void {
  const end = () => {
    change()
    transcript.tell(() => `${item.kind} is over`)
  }
  scheduler.at(scheduler.now() + item.forMs, end, 'quiet')
}

function sendForeign(world: World, { nonce: where, times }: ItemOf<'foreign'>): void {
  const { chain, pools, records, conditions } = world
  const { key } = conditions
  const stateNonce = chain.head().state.nonces[key] ?? 0
  const waiting = pools[key]?.minable(stateNonce) ?? []
  const nonce = where === 'next' ? stateNonce : stateNonce + waiting.length
  const gasPriceWei = chain.minGasPriceWei() * BigInt(times)
  const content = { to: strangerAddress, data: '0x', gas: noOpGas } as const
  const { hash, raw } = getSigner(world).sign({ nonce, ...content, gasPriceWei })
  records.foreign.add(hash)
  // Where the pool refuses it, the transcript says why.
  tryTo(() => world.node('eth_sendRawTransaction', [raw], chain.head()))
}
