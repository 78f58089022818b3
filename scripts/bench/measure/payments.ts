import { quantile } from '../../dev/count.ts'
import { startDenoRelays } from '../../dev/relays/deno-relays.ts'
import { type Figures, takeTurns } from '../figures.ts'
import { countConfirmations, type Payer, type PaymentRound, payRound } from '../payer.ts'
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

/** Sets the rounds of the relay and its baseline for the held ratio. */
const pairs = 18

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
  const busy = { callers: 64, own: 48, baseline: 96 }
  const both = await takeTurns(['relay', 'afternoon'] as const, pairs, (name) => pay(name, busy))
  // Two that stand beside each other: what slows the machine for a while slows both.
  const ratios = both.relay.map(({ cpuMs }, index) => cpuMs / (both.afternoon[index]?.cpuMs ?? 0))
  const pair = `relay against ${payers.afternoon}`
  figures.hold(`CPU of the server, 64 callers: ${pair}`, 'ratio', ...ratios)
  const commands = bridge.commands()
  await payRound(chain, served.deno, 30, { callers: 1 })
  const each = (bridge.commands() - commands) / 30
  figures.hold(`Redis, 1 caller: ${payers.deno}`, 'commands/payment', each)
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
