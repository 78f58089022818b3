import type { Figures } from '../figures.ts'
import type { Load } from '../load.ts'
import { type Payer, type PaymentRound, payRound } from '../payer.ts'
import type { BenchChain } from '../served/chain.ts'
import { median, quantile, ratioOf } from '../statistics.ts'
import { takeTurns } from '../turns.ts'

/** The relay and the servers of an afternoon, whose rounds take turns. */
export type Payers = { relay: Payer; asked: Payer; fixed: Payer }

type Name = keyof Payers

const names: Record<Name, string> = {
  relay: 'relay',
  asked: 'afternoon (a)',
  fixed: "afternoon, fees fixed (a')",
}

/** How many payments a turn is of: a baseline's is longer, since it is quicker. */
type Payments = { relay: number; baseline: number }

const paymentsOf = (name: Name, { relay, baseline }: Payments): number =>
  name === 'relay' ? relay : baseline

/** How many callers pay at a time, how many payments a turn of each, and how many rounds of turns. */
export type PaymentPlan = readonly {
  callers: number
  payments: Payments
  rounds: number
  /** How many rounds more relay and (a) have, for the ratio that is held. */
  pairs?: number
}[]

/** The compilers have seen all of it before anything counts: Node's still makes signing quicker after 500. */
const warmUp = [
  { callers: 16, payments: { relay: 100, baseline: 100 } },
  { callers: 64, payments: { relay: 128, baseline: 512 } },
]

/** Payments accepted and confirmed a second, replies, and CPU a payment, relay and baselines in turn. */
export async function measurePayments(
  {
    chain,
    load,
    payers,
    figures,
  }: { chain: BenchChain; load: Load; payers: Payers; figures: Figures },
  plan: PaymentPlan,
): Promise<void> {
  for (const { callers, payments } of warmUp) {
    for (const name of Object.keys(names) as Name[]) {
      const turn = { payments: paymentsOf(name, payments), pace: { callers } }
      await payRound({ chain, load }, payers[name], turn)
    }
  }
  for (const { callers, payments, rounds, pairs = 0 } of plan) {
    const take = (name: Name) => {
      const turn = { payments: paymentsOf(name, payments), pace: { callers } }
      return payRound({ chain, load }, payers[name], turn)
    }
    const taken = await takeTurns(Object.keys(names) as Name[], rounds, take)
    tellLoad(figures, callers, taken)
    if (callers === cpuAt) {
      tellCpu(figures, taken, await takeTurns(['relay', 'asked'] as const, pairs, take))
    }
  }
}

/** Callers at a time where CPU is measured. */
const cpuAt = 64

function tellLoad(figures: Figures, callers: number, taken: Record<Name, PaymentRound[]>): void {
  const at = `${callers} caller${callers === 1 ? '' : 's'}`
  for (const name of Object.keys(names) as Name[]) {
    const rounds = taken[name]
    const add = (what: string, title: string, unit: string, of: (round: PaymentRound) => number) =>
      figures.add(
        `payments.${what}.${name}.${callers}`,
        `${title}, ${at}: ${names[name]}`,
        unit,
        rounds.map(of),
      )
    add('accepted', 'accepted', 'payments/s', (round) => round.acceptedPerSecond)
    add('confirmed', 'confirmed', 'payments/s', (round) => round.confirmedPerSecond)
    add('p50', 'reply p50', 'ms', ({ replyMs }) => median(replyMs))
    add('p95', 'reply p95', 'ms', ({ replyMs }) => quantile(replyMs, 0.95))
    add('p99', 'reply p99', 'ms', ({ replyMs }) => quantile(replyMs, 0.99))
  }
  for (const name of ['asked', 'fixed'] as const) {
    const ratio = (of: (round: PaymentRound) => number) =>
      ratioOf(taken.relay.map(of), taken[name].map(of))
    const title = (what: string) => `${what}, ${at}: relay against ${names[name]}`
    figures.add(
      `payments.acceptedRatio.${name}.${callers}`,
      title('accepted'),
      'ratio',
      ratio((round) => round.acceptedPerSecond),
    )
    // Told and not held: a payment goes through four processes, and how long one waits for another on a
    // virtual machine differs by a third from minute to minute. What is held of payments is their CPU,
    // and their replies where the node is as far away as Rootstock's.
    figures.add(
      `payments.p50Ratio.${name}.${callers}`,
      title('reply p50'),
      'ratio',
      ratio(({ replyMs }) => median(replyMs)),
    )
  }
}

function tellCpu(
  figures: Figures,
  taken: Record<Name, PaymentRound[]>,
  pairs: Record<'relay' | 'asked', PaymentRound[]>,
): void {
  const at = `${cpuAt} callers`
  const title = (name: Name) => `server's process, ${at}: ${names[name]}`
  for (const name of Object.keys(names) as Name[]) {
    const cpu = (of: 'payer' | 'chain') => taken[name].map(({ cpuMs }) => cpuMs[of])
    figures.add(`cpu.${name}.server`, title(name), 'ms/payment', cpu('payer'))
    figures.add(`cpu.${name}.chain`, `anvil, ${at}: ${names[name]}`, 'ms/payment', cpu('chain'))
  }
  const ofServer = (rounds: PaymentRound[]) => rounds.map(({ cpuMs }) => cpuMs.payer)
  figures.hold(
    'cpu.ratio.asked',
    `${title('relay')} against ${names.asked}`,
    'ratio',
    ratioOf(ofServer([...taken.relay, ...pairs.relay]), ofServer([...taken.asked, ...pairs.asked])),
  )
  figures.add(
    'cpu.ratio.fixed',
    `${title('relay')} against ${names.fixed}`,
    'ratio',
    ratioOf(ofServer(taken.relay), ofServer(taken.fixed)),
  )
}
