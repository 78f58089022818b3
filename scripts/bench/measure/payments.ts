import { calibrate } from '../cpu.ts'
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

/** How many callers pay at a time, how many payments a turn of each, and how many rounds of turns. */
export type PaymentPlan = readonly {
  callers: number
  payments: { relay: number; baseline: number }
  rounds: number
}[]

/** The compilers have seen all of it before anything counts. */
const warmUp = [
  { callers: 16, payments: 100 },
  { callers: 64, payments: 128 },
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
    for (const payer of Object.values(payers)) {
      await payRound({ chain, load }, payer, { payments, pace: { callers } })
    }
  }
  for (let loop = 0; loop < 3; loop += 1) calibrate()
  const relativeCpu: number[] = []
  for (const { callers, payments, rounds } of plan) {
    const taken = await takeTurns(Object.keys(names) as Name[], rounds, async (name) => {
      const count = name === 'relay' ? payments.relay : payments.baseline
      const turn = { payments: count, pace: { callers } }
      const pay = () => payRound({ chain, load }, payers[name], turn)
      if (name !== 'relay' || callers !== cpuAt) return await pay()
      const before = calibrate()
      const paid = await pay()
      relativeCpu.push(paid.cpuMs.payer / ((before + calibrate()) / 2))
      return paid
    })
    tellLoad(figures, callers, taken)
    if (callers === cpuAt) tellCpu(figures, taken, relativeCpu)
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
    // More callers are a crowd on two cores, and their ratios are noise: what is held of them is CPU.
    const tell = callers === 1 && name === 'asked' ? figures.hold : figures.add
    const ratio = (of: (round: PaymentRound) => number) =>
      ratioOf(taken.relay.map(of), taken[name].map(of))
    const title = (what: string) => `${what}, ${at}: relay against ${names[name]}`
    tell(
      `payments.acceptedRatio.${name}.${callers}`,
      title('accepted'),
      'ratio',
      ratio((round) => round.acceptedPerSecond),
    )
    tell(
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
  relative: readonly number[],
): void {
  const at = `${cpuAt} callers`
  figures.hold(
    'cpu.relay.loops',
    `Worker's process, ${at}`,
    'calibration loops a payment',
    relative,
  )
  for (const name of Object.keys(names) as Name[]) {
    const cpu = (of: 'payer' | 'chain') => taken[name].map(({ cpuMs }) => cpuMs[of])
    figures.add(
      `cpu.${name}.server`,
      `server's process, ${at}: ${names[name]}`,
      'ms/payment',
      cpu('payer'),
    )
    figures.add(`cpu.${name}.chain`, `anvil, ${at}: ${names[name]}`, 'ms/payment', cpu('chain'))
  }
  for (const name of ['asked', 'fixed'] as const) {
    const tell = name === 'asked' ? figures.hold : figures.add
    tell(
      `cpu.ratio.${name}`,
      `server's process, ${at}: relay against ${names[name]}`,
      'ratio',
      ratioOf(
        taken.relay.map(({ cpuMs }) => cpuMs.payer),
        taken[name].map(({ cpuMs }) => cpuMs.payer),
      ),
    )
  }
}
