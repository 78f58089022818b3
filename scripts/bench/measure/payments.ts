import { startRealDeno } from '../../dev/deno/real-deno.ts'
import type { Figures } from '../figures.ts'
import { countConfirmations, type Payer, type PaymentRound, payRound } from '../payer.ts'
import { divideRounds, median, quantile, takeTurns } from '../statistics.ts'
import type { World } from '../world.ts'

/** What each payer is called in figures. */
export const payers = {
  relay: 'relay',
  deno: 'relay on Deno with Redis',
  asked: 'afternoon (a)',
  fixed: "afternoon, fees fixed (a')",
}

type Name = keyof typeof payers
type Rounds = Record<Name, PaymentRound[]>

const names = Object.keys(payers) as Name[]

/**
 * Callers at a time, payments a turn of a relay and of a baseline (which is quicker), and rounds. Turns
 * are short: the machine's own speed changes from second to second, and a ratio is of two turns that stand
 * beside each other.
 */
const plan = [
  { callers: 1, own: 16, baseline: 24, rounds: 2 },
  { callers: 16, own: 48, baseline: 96, rounds: 2 },
  { callers: 64, own: 48, baseline: 96, rounds: 3 },
]

/** The compilers have seen all of it before anything counts: Node's still makes signing quicker after 500. */
const warmUp = [
  { callers: 16, own: 100, baseline: 100 },
  { callers: 64, own: 128, baseline: 512 },
]

/** How many rounds more relay and (a) have at 64 callers, for the ratio that is held. */
const pairs = 15

/** Measures payments a second, replies, and CPU a payment, of the relay and of baselines in turn. */
export async function measurePayments(world: World): Promise<void> {
  const { figures } = world
  const deno = await startDeno(world)
  const served: Record<Name, Payer> = {
    relay: await world.serveRelay('plain'),
    deno: deno.payer,
    asked: await world.serveAfternoon('asked', 'asked'),
    fixed: await world.serveAfternoon('fixed', 'fixed'),
  }
  const pay = (name: Name, { callers, own, baseline }: (typeof warmUp)[number]) => {
    const payments = name === 'relay' || name === 'deno' ? own : baseline
    return payRound(world, served[name], payments, { callers })
  }
  for (const part of warmUp) for (const name of names) await pay(name, part)
  for (const part of plan) {
    const taken = await takeTurns(names, part.rounds, (name) => pay(name, part))
    tellLoad(figures, part.callers, taken)
    if (part.callers !== 64) continue
    const more = await takeTurns(['relay', 'asked'] as const, pairs, (name) => pay(name, part))
    tellCpu(figures, taken, more)
  }
  const commands = deno.commands()
  await payRound(world, deno.payer, 30, { callers: 1 })
  const each = (deno.commands() - commands) / 30
  figures.hold(`Redis, 1 caller: ${payers.deno}`, 'commands/payment', each)
}

/**
 * Starts the relay on Deno with Redis in the object's place. Between the two stands a bridge that speaks
 * Upstash's protocol, in this very process: it costs time, and its CPU is nobody's.
 */
async function startDeno({ chain, atEnd }: World) {
  const confirmed = countConfirmations()
  const variables = await chain.makeVariables('deno')
  const { origin, pid, commands, stop } = await startRealDeno(variables, confirmed.onLine)
  atEnd(stop)
  return { payer: { url: origin, pid, confirmed }, commands }
}

function tellLoad(figures: Figures, callers: number, taken: Rounds): void {
  const at = `${callers} caller${callers === 1 ? '' : 's'}`
  for (const name of names) {
    const add = (what: string, unit: string, of: (round: PaymentRound) => number) =>
      figures.add(`${what}, ${at}: ${payers[name]}`, unit, ...taken[name].map(of))
    add('accepted', 'payments/s', (round) => round.acceptedPerSecond)
    add('confirmed', 'payments/s', (round) => round.confirmedPerSecond)
    add('reply p50', 'ms', ({ replyMs }) => median(replyMs))
    add('reply p99', 'ms', ({ replyMs }) => quantile(replyMs, 0.99))
  }
  for (const name of ['asked', 'fixed'] as const) {
    const [own, baseline] = [taken.relay, taken[name]].map((rounds) =>
      rounds.map((round) => round.acceptedPerSecond),
    )
    const ratios = divideRounds(own ?? [], baseline ?? [])
    figures.add(`accepted, ${at}: relay against ${payers[name]}`, 'ratio', ...ratios)
  }
}

function tellCpu(figures: Figures, taken: Rounds, more: Pick<Rounds, 'relay' | 'asked'>): void {
  const readPayer = (rounds: PaymentRound[]) => rounds.map(({ cpuMs }) => cpuMs.payer)
  for (const name of names) {
    const title = `64 callers: ${payers[name]}`
    const ofChain = taken[name].map(({ cpuMs }) => cpuMs.chain)
    figures.add(`CPU of the server, ${title}`, 'ms/payment', ...readPayer(taken[name]))
    figures.add(`CPU of anvil, ${title}`, 'ms/payment', ...ofChain)
  }
  const own = readPayer([...taken.relay, ...more.relay])
  const ratios = divideRounds(own, readPayer([...taken.asked, ...more.asked]))
  figures.hold(`CPU of the server, 64 callers: relay against ${payers.asked}`, 'ratio', ...ratios)
}
