import { until } from '../dev/wait.ts'
import { measureCpu } from './cpu.ts'
import type { Load, LoadJob } from './load.ts'
import { type BenchChain, recipient } from './served/chain.ts'

/** Something that takes USSD deliveries and pays: the relay, or a baseline. */
export type Payer = { url: string; pid: number; confirmed: Confirmations }

/** What a payer's log says of payments that are in a block. */
export type Confirmations = {
  onLine: (line: string) => void
  /** Lines of any kind so far. */
  lines: () => number
  /** Waits until so many more payments are confirmed, and gives the time of the last (Unix, in ms). */
  next: (count: number) => Promise<number>
}

/** Counts lines that end a payment, as the specification words them. */
export function countConfirmations(): Confirmations {
  let seen = 0
  let lines = 0
  let lastAt = 0
  return {
    onLine(line) {
      lines += 1
      if (!line.includes('Transfer confirmed: 0x')) return
      seen += 1
      lastAt = performance.timeOrigin + performance.now()
    },
    lines: () => lines,
    async next(count) {
      const goal = seen + count
      const late = () => new Error(`${goal - seen} of ${count} payments were not confirmed`)
      await until(() => seen >= goal, { everyMs: 10, withinMs: 120_000, late })
      return lastAt
    },
  }
}

/** One round of payments, all of them confirmed. */
export type PaymentRound = {
  acceptedPerSecond: number
  confirmedPerSecond: number
  replyMs: readonly number[]
  /** CPU milliseconds a payment, of the payer's process and of the chain's. */
  cpuMs: { payer: number; chain: number }
}

/** Makes payments and waits until the last of them is confirmed. */
export async function payRound(
  { chain, load }: { chain: BenchChain; load: Load },
  payer: Payer,
  payments: number,
  pace: LoadJob['pace'],
): Promise<PaymentRound> {
  const pids = { payer: payer.pid, chain: chain.pid }
  const bodies = Array.from({ length: payments }, () => writeDelivery(chain, paymentText))
  const expects = 'END Transfer Submitted\nTo: 0x0000'
  const job = { url: `${payer.url}/ussd`, headers: formHeaders, bodies, pace, expects }
  const { result, cpuMs } = await measureCpu(pids, () =>
    Promise.all([load.run(job), payer.confirmed.next(payments)]),
  )
  const [{ startedAt, endedAt, replyMs }, lastAt] = result
  return {
    acceptedPerSecond: (payments * 1000) / (endedAt - startedAt),
    confirmedPerSecond: (payments * 1000) / (lastAt - startedAt),
    replyMs,
    cpuMs: { payer: cpuMs.payer / payments, chain: cpuMs.chain / payments },
  }
}

/** The last delivery of a session that pays. */
const paymentText = `2*${recipient}*0.00001`

export const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

let sessions = 0

/** Writes one delivery of a session that nobody had before, by the next caller. */
export function writeDelivery(chain: BenchChain, text: string): string {
  sessions += 1
  const fields = { phoneNumber: chain.nextPhone(), sessionId: `bench-${sessions}`, text }
  return new URLSearchParams(fields).toString()
}
