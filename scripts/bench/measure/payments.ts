import { quantile } from '../../dev/count.ts'
import { startDenoRelays } from '../../dev/relays/deno-relays.ts'
import { type Figures, takeTurns } from '../figures.ts'
import { countConfirmations, type Payer, type PaymentRound, payRound } from '../payer.ts'
import type { BenchChain } from '../served/chain.ts'
import type { World } from '../world.ts'

export const payers = { relay: 'relay', deno: 'relay on Deno with Redis', afternoon: 'afternoon' }

type Name = keyof typeof payers

const names = Object.keys(payers) as Name[]

/** Callers at a time, payments a turn of a relay and of the baseline, and rounds. */
export const plan = [
  { callers: 1, own: 16, baseline: 24, rounds: 2 },
  { callers: 16, own: 48, baseline: 96, rounds: 2 },
  { callers: 64, own: 48, baseline: 96, rounds: 3 },
]

/** Warms up until the compilers know all of it: signing gets quicker in Node after 500. */
const warmUp = [
  { callers: 16, own: 100, baseline: 100 },
  { callers: 64, own: 128, baseline: 512 },
]

/** Sets the rounds of the relay and its baseline for a ratio. */
const pairs = 18

/** Pays once each, and the baseline does not know who pays. */
const newCallers = pairs * (48 + 96)

/** Measures payments a second, replies and CPU of the relay and of the baseline in turn. */
export async function measurePayments(world: World): Promise<void> {
  const { figures, chain, onEnd } = world
  const confirmed = countConfirmations()
  const variables = await chain.makeVariables('deno')
  const { onLine } = confirmed
  // Redis stands in the object's place, and a bridge between them, whose CPU is nobody's.
  const { url, pid, bridge, stop } = await startDenoRelays({ variables, workers: 1, onLine })
  onEnd(stop)
  const served: Record<Name, Payer> = {
    relay: await world.serveRelay('plain'),
    deno: { url, pid: pid(), confirmed },
    afternoon: await world.serveAfternoon('as it is asked'),
  }
  const pay = (name: Name, { callers, own, baseline }: (typeof warmUp)[number]) =>
    payRound(chain, served[name], name === 'afternoon' ? baseline : own, { callers })
  for (const part of warmUp) for (const name of names) await pay(name, part)
  for (const part of plan) {
    const taken = await takeTurns(names, part.rounds, (name) => pay(name, part))
    addFigures(figures, part.callers, taken)
  }
  const pair = `relay against ${payers.afternoon}`
  await measurePair(chain, served, (...ratios) =>
    figures.hold(`CPU of the server, 64 callers: ${pair}`, ...ratios),
  )
  const callers = await chain.makeCallers(newCallers)
  const phones = callers.map(({ phone }) => phone).values()
  const fresh = { ...chain, nextPhone: () => phones.next().value ?? '' }
  await measurePair(fresh, served, (...ratios) =>
    figures.add(`CPU of the server, 64 new callers: ${pair}`, ...ratios),
  )
  const commands = bridge.commands()
  await payRound(chain, served.deno, 30, { callers: 1 })
  const each = (bridge.commands() - commands) / 30
  figures.hold(`Redis, 1 caller: ${payers.deno}`, 'commands/payment', each)
}

/** Compares the CPU of two that stand beside each other: what slows the machine slows both. */
async function measurePair(
  chain: BenchChain,
  served: Record<Name, Payer>,
  add: (unit: string, ...ratios: number[]) => void,
): Promise<void> {
  const taken = await takeTurns(['relay', 'afternoon'] as const, pairs, (name) =>
    payRound(chain, served[name], name === 'relay' ? 48 : 96, { callers: 64 }),
  )
  add('ratio', ...taken.relay.map(({ cpuMs }, turn) => cpuMs / (taken.afternoon[turn]?.cpuMs ?? 0)))
}

function addFigures(figures: Figures, callers: number, taken: Record<Name, PaymentRound[]>): void {
  for (const name of names) {
    const who = `${callers} callers: ${payers[name]}`
    const add = (what: string, unit: string, of: (round: PaymentRound) => number) =>
      figures.add(`${what}, ${who}`, unit, ...taken[name].map(of))
    add('accepted', 'payments/s', (round) => round.acceptedPerSecond)
    add('confirmed', 'payments/s', (round) => round.confirmedPerSecond)
    add('reply p50', 'ms', ({ replyMs }) => quantile(replyMs, 0.5))
    add('reply p99', 'ms', ({ replyMs }) => quantile(replyMs, 0.99))
    add('CPU of the server', 'ms/payment', ({ cpuMs }) => cpuMs)
  }
}
