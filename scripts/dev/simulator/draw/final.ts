import { createRandom } from '../../random.ts'
import { type Item, type Plan, type WantedPayment, writeText } from '../plan.ts'
import { secondMs } from '../units.ts'
import { createDial, type DialItem, type Draw, type DrawAt } from './dials.ts'
import { getFirstPin, typePin } from './lender.ts'
import { dayOutage } from './setup.ts'

/** Draws payments at an agent that are final before their blocks, and what could undo them. */
export function drawFinal(plan: Plan, drawAt: DrawAt): Item[] {
  const { seed, setup } = plan
  if (!setup.isAssuring) return []
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
  return [...items, ...acts, ...lasts, ...onwards, ...hasty]
}

/** A caller's own key has acted, and acts again once a withdrawal's block may be lost. */
function drawActing(draw: Draw): Item[] {
  const { random, setup, phase, spanMs } = draw
  const { blockMs, stepWei } = setup
  const caller = random.int(1, Math.min(4, setup.callers) - 1)
  const from = 5 * blockMs + random.int(0, spanMs)
  const amountWei = BigInt(random.int(5, 15)) * stepWei
  const act = (at: number, steps: number): Item => {
    const wei = BigInt(steps) * stepWei
    return { phase, at, kind: 'direct', caller, wei }
  }
  return [
    act(from - 3 * blockMs, 1),
    withdraw(draw, { at: from, session: 'final acting', caller, amountWei }),
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
  const drawWei = () => BigInt(random.int(11, 17)) * stepWei
  const send = (what: string, at: number, by: number, to: number) => {
    const wanted = { kind: 'transfer', to, amountWei: drawWei() } as const
    return pay(draw, { at, session: `final ${what}`, caller: by, wanted })
  }
  return [
    send('arriving', from - blockMs, (caller + 1) % others, caller),
    withdraw(draw, { at: from, session: 'final cash', caller, amountWei: drawWei() }),
    ...[2, 3, 5].map((blocks) => send(`onward ${blocks}`, from + blocks * blockMs, caller, 0)),
    loseBlocks(draw, from + random.int(3, 8) * blockMs, 8),
  ]
}

/** A withdrawal is under way as the key is changed, and another meets a Worker that has not. */
function drawHasty(draw: Draw, at: number): Item[] {
  const { random, setup } = draw
  const worker = random.int(0, setup.workers - 1)
  const caller = random.int(1, Math.min(4, setup.callers) - 1)
  return [-random.int(1, 20), random.int(1, 12)].map((after, index) => {
    const session = `final ${at} ${index}`
    const amountWei = BigInt(index + 1) * setup.stepWei
    const when = Math.max(0, at + after * secondMs)
    return withdraw(draw, { at: when, session, caller, amountWei, worker })
  })
}

/** The block of a withdrawal is lost right before the relay is down for half a day, or a day. */
function drawLast(draw: Draw): Item[] {
  const { random, setup } = draw
  const caller = random.int(1, Math.min(4, setup.callers) - 1)
  const amountWei = BigInt(random.int(2, 8)) * setup.stepWei
  const lost = loseBlocks(draw, setup.troubledMs - secondMs, 8)
  const at = lost.at - random.int(3, 5) * (setup.blockMs / 2)
  const cash = withdraw(draw, { at, session: 'final last', caller, amountWei })
  return [cash, lost, { ...lost, kind: 'eviction', share: 1 }]
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
  const named = (what: string) => `final ${what} ${phase} ${index}`
  const takeOut = (what: string, at: number, lowest: number, highest: number) =>
    withdraw(draw, { at, session: named(what), caller, amountWei: steps(lowest, highest) })
  const send = (what: string, at: number, by: number, to: number, most: number) => {
    const wanted = { kind: 'transfer', to, amountWei: steps(1, most) } as const
    return pay(draw, { at, session: named(what), caller: by, wanted })
  }
  const soon = from + random.int(2, 4) * blockMs + random.int(0, blockMs)
  const what = random.pick(['around', 'around', 'gift', 'drained'] as const)
  switch (isMoving ? 'drained' : what) {
    // Money that came for good is spent, and is gone with its block.
    case 'gift':
      return [
        { phase, at: from - blockMs, kind: 'gift', caller, wei: steps(15, 20) },
        ...(random.chance(0.5)
          ? [takeOut('cash', from, 21, 34)]
          : [takeOut('one', from, 11, 17), takeOut('other', from + secondMs, 11, 17)]),
        loseBlocks(draw, soon, 8),
      ]
    // The caller's own key takes all of it, as it had announced, or it moves with its account.
    case 'drained':
      return [
        takeOut('cash', from, 5, 20),
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
        takeOut('cash', from, 2, 20),
        loseBlocks(draw, from + random.int(1, rules.confirmations) * blockMs, random.int(1, 11)),
        ...(random.chance(0.3)
          ? [{ phase, at: soon, kind: 'no_blocks' as const, forMs: 90 * secondMs }]
          : []),
      ]
    }
  }
}

type Paying = Pick<DialItem, 'at' | 'session' | 'caller'> & Partial<DialItem>

function pay(draw: Draw, dial: Paying & { wanted: WantedPayment }): DialItem {
  const typed = typePin(writeText(dial.wanted, draw.setup), getFirstPin(dial.caller))
  return createDial(draw, { ...dial, ...typed })
}

/** Withdraws cash at the first caller's till. */
const withdraw = (draw: Draw, { amountWei, ...dial }: Paying & { amountWei: bigint }): DialItem =>
  pay(draw, { ...dial, wanted: { kind: 'withdrawal', to: 0, amountWei } })
