import { createRandom } from '../../random.ts'
import { type Dial, type Item, inOrder, type Plan, type WantedPayment, writeText } from '../plan.ts'
import { secondMs } from '../units.ts'
import { createDial, type Draw, type DrawAt } from './dials.ts'
import { getFirstPin } from './lender.ts'
import { dayOutage } from './setup.ts'

/** Adds payments at an agent that are final before their blocks, and what could undo them. */
export function drawFinal(plan: Plan, drawAt: DrawAt): Plan {
  const { seed, setup } = plan
  if (!setup.isAssuring) return plan
  const phases = [...new Set(plan.items.map(({ phase }) => phase))]
  const isMoving = createRandom(seed, 'moving').chance(0.15)
  const items = phases.flatMap((phase) => {
    const random = createRandom(seed, `final ${phase}`)
    const count = random.pick([1, 1, 2])
    return Array.from({ length: isMoving ? 3 : count }, (_, index) =>
      drawOne(drawAt(random, phase), index, isMoving),
    ).flat()
  })
  const acting = createRandom(seed, 'acting')
  const acts = acting.chance(0.4) ? drawActing(drawAt(acting, 0)) : []
  const last = createRandom(seed, 'last')
  const lasts = (setup.outageDays ?? Infinity) <= dayOutage ? drawLast(drawAt(last, 0)) : []
  const onward = createRandom(seed, 'onward')
  const onwards = !isMoving && onward.chance(0.5) ? drawOnward(drawAt(onward, 0)) : []
  const haste = drawAt(createRandom(seed, 'haste'), 0)
  const hasty = plan.items.flatMap((item) =>
    item.kind === 'rotation' && item.drainMs === 0 ? drawHasty(haste, item.at) : [],
  )
  return {
    ...plan,
    items: inOrder([...plan.items, ...items, ...acts, ...lasts, ...onwards, ...hasty]),
  }
}

/** A caller's own key has acted, and acts again once a withdrawal's block may be lost. */
function drawActing(draw: Draw): Item[] {
  const { random, setup, phase, spanMs } = draw
  const { blockMs, stepWei } = setup
  const caller = random.int(1, Math.min(4, setup.callers) - 1)
  const from = 5 * blockMs + random.int(0, spanMs)
  const amountWei = BigInt(random.int(5, 15)) * stepWei
  const cash = withPin('final acting', caller, { kind: 'withdrawal', to: 0, amountWei }, draw)
  const act = (at: number, steps: number): Item => {
    const wei = BigInt(steps) * stepWei
    return { phase, at, kind: 'direct', caller, wei }
  }
  return [
    act(from - 3 * blockMs, 1),
    createDial(draw, { at: from, ...cash }),
    act(from + random.int(1, 2) * blockMs, 20),
    loseBlocks(draw, from + random.int(3, 6) * (blockMs / 2), 8),
  ]
}

/** A withdrawal takes most of what is settled, and what has just arrived is sent on behind it. */
function drawOnward(draw: Draw): Item[] {
  const { random, setup, spanMs } = draw
  const { blockMs, stepWei } = setup
  const others = Math.min(4, setup.callers)
  const caller = random.int(1, others - 1)
  const from = 5 * blockMs + random.int(0, spanMs)
  const pay = (
    what: string,
    at: number,
    by: number,
    kind: 'withdrawal' | 'transfer',
    to: number,
  ) => {
    const wanted = { kind, to, amountWei: BigInt(random.int(11, 17)) * stepWei }
    return createDial(draw, { at, ...withPin(`final ${what}`, by, wanted, draw) })
  }
  return [
    pay('arriving', from - blockMs, (caller + 1) % others, 'transfer', caller),
    pay('cash', from, caller, 'withdrawal', 0),
    ...[2, 3, 5].map((blocks) =>
      pay(`onward ${blocks}`, from + blocks * blockMs, caller, 'transfer', 0),
    ),
    loseBlocks(draw, from + random.int(3, 8) * blockMs, 8),
  ]
}

/** A withdrawal is under way as the key is changed, and another meets a Worker that has not. */
function drawHasty(draw: Draw, at: number): Item[] {
  const { random, setup } = draw
  const worker = random.int(0, setup.workers - 1)
  const caller = random.int(1, Math.min(4, setup.callers) - 1)
  return [-random.int(1, 20), random.int(1, 12)].map((after, index) => {
    const amountWei = BigInt(index + 1) * setup.stepWei
    const cash = withPin(
      `final ${at} ${index}`,
      caller,
      { kind: 'withdrawal', to: 0, amountWei },
      draw,
    )
    return createDial(draw, { at: Math.max(0, at + after * secondMs), worker, ...cash })
  })
}

/** The block of a withdrawal is lost right before the relay is down for half a day, or a day. */
function drawLast(draw: Draw): Item[] {
  const { random, setup } = draw
  const caller = random.int(1, Math.min(4, setup.callers) - 1)
  const amountWei = BigInt(random.int(2, 8)) * setup.stepWei
  const cash = withPin('final last', caller, { kind: 'withdrawal', to: 0, amountWei }, draw)
  const lost = loseBlocks(draw, setup.troubledMs - secondMs, 8)
  const at = lost.at - random.int(3, 5) * (setup.blockMs / 2)
  return [createDial(draw, { at, ...cash }), lost, { ...lost, kind: 'eviction', share: 1 }]
}

function loseBlocks({ random, setup, phase }: Draw, at: number, depth: number): Item {
  const lost = Math.max(1, Math.min(depth, setup.rules.confirmations - 1))
  return { phase, at, kind: 'reorganization', depth: lost, blocks: lost + random.int(1, 2) }
}

/**
 * A caller withdraws while money arrives and other payments leave; then blocks are lost, fewer than
 * make an outcome final.
 */
function drawOne(draw: Draw, index: number, isMoving: boolean): Item[] {
  const { random, setup, phase, spanMs } = draw
  const { blockMs, rules, stepWei } = setup
  const others = Math.min(4, setup.callers)
  const caller = random.int(1, others - 1)
  const from = 3 * blockMs + random.int(0, spanMs)
  const steps = (lowest: number, highest: number) =>
    BigInt(random.int(lowest * 10, highest * 10)) * (stepWei / 10n)
  const pay = (what: string, at: number, by: number, wanted: WantedPayment) =>
    createDial(draw, { at, ...withPin(`final ${what} ${phase} ${index}`, by, wanted, draw) })
  const withdraw = (what: string, at: number, lowest: number, highest: number) =>
    pay(what, at, caller, { kind: 'withdrawal', to: 0, amountWei: steps(lowest, highest) })
  const send = (what: string, at: number, by: number, to: number, most: number) =>
    pay(what, at, by, { kind: 'transfer', to, amountWei: steps(1, most) })
  const soon = from + random.int(2, 4) * blockMs + random.int(0, blockMs)
  const what = random.pick(['around', 'around', 'gift', 'drained'] as const)
  switch (isMoving ? 'drained' : what) {
    // Money that came for good is spent, and is gone with its block.
    case 'gift':
      return [
        { phase, at: from - blockMs, kind: 'gift', caller, wei: steps(15, 20) },
        ...(random.chance(0.5)
          ? [withdraw('cash', from, 21, 34)]
          : [withdraw('one', from, 11, 17), withdraw('other', from + secondMs, 11, 17)]),
        loseBlocks(draw, soon, 8),
      ]
    // The caller's own key takes all of it, as it had announced, or it moves with its account.
    case 'drained':
      return [
        withdraw('cash', from, 5, 20),
        {
          phase,
          at: from + random.int(1, 2) * blockMs,
          kind: 'withdrawal',
          caller,
          isMove: isMoving,
        },
        loseBlocks(draw, soon, 8),
      ]
    case 'around': {
      const around = (blocks: number) => Math.max(0, from + random.int(-blocks, blocks) * blockMs)
      const leaving = Array.from({ length: random.pick([0, 1, 2]) }, (_, turn) =>
        send(`leaving ${turn}`, around(rules.confirmations), caller, 0, 12),
      )
      return [
        ...(random.chance(0.7)
          ? [send('incoming', around(3), (caller + 1) % others, caller, 12)]
          : []),
        ...leaving,
        ...(random.chance(0.3) ? [send('onward', around(6), 0, caller, 25)] : []),
        withdraw('cash', from, 2, 20),
        loseBlocks(draw, from + random.int(1, rules.confirmations) * blockMs, random.int(1, 11)),
        ...(random.chance(0.3)
          ? [{ phase, at: soon, kind: 'no_blocks' as const, forMs: 90 * secondMs }]
          : []),
      ]
    }
  }
}

function withPin(
  session: string,
  caller: number,
  wanted: WantedPayment,
  { setup }: Draw,
): Pick<Dial, 'session' | 'caller' | 'text' | 'wanted' | 'pin'> {
  const own = getFirstPin(caller)
  const text = `${writeText(wanted, setup)}*${own}`
  return { session, caller, text, wanted, pin: { own, step: text } }
}
