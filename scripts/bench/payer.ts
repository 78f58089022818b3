import { cpuDuring } from './cpu.ts'
import type { Load } from './load.ts'
import type { LoadJob } from './load-job.ts'
import { type BenchChain, recipient } from './served/chain.ts'

/** Something that takes USSD deliveries and pays: the relay, or a baseline. */
export type Payer = {
  url: string
  pid: number
  confirmed: Confirmations
}

/** What a payer's log says of payments that are in a block. */
export type Confirmations = {
  onLine: (line: string) => void
  /** Lines of any kind so far. */
  lines: () => number
  /** Resolves when so many more payments are confirmed, with the time of the last (Unix, in ms). */
  next: (count: number) => Promise<number>
}

/** Longer than any round takes to settle. */
const settlesWithinMs = 120_000

/** Counts lines that end a payment, as the specification words them. */
export function countConfirmations(): Confirmations {
  let seen = 0
  let lines = 0
  let lastAt = 0
  let wake = () => {}
  return {
    onLine(line) {
      lines += 1
      if (!line.includes('Transfer confirmed: 0x')) return
      seen += 1
      lastAt = performance.timeOrigin + performance.now()
      wake()
    },
    lines: () => lines,
    async next(count) {
      const goal = seen + count
      const until = setTimeout(() => wake(), settlesWithinMs)
      const from = performance.now()
      while (seen < goal && performance.now() - from < settlesWithinMs) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      clearTimeout(until)
      if (seen < goal) throw new Error(`${goal - seen} of ${count} payments were not confirmed`)
      return lastAt
    },
  }
}

/** One round of payments, all of them confirmed. */
export type PaymentRound = {
  payments: number
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
  { payments, pace }: { payments: number; pace: LoadJob['pace'] },
): Promise<PaymentRound> {
  const pids = { payer: payer.pid, chain: chain.pid }
  const { result, cpuMs } = await cpuDuring(pids, async () => {
    const [report, lastAt] = await Promise.all([
      load.run({
        url: `${payer.url}/ussd`,
        headers: formHeaders,
        bodies: Array.from({ length: payments }, () => delivery(chain, paymentText)),
        pace,
        expects: 'END Transfer Submitted\nTo: 0x0000',
      }),
      payer.confirmed.next(payments),
    ])
    return { report, lastAt }
  })
  const { report, lastAt } = result
  return {
    payments,
    acceptedPerSecond: (payments * 1000) / (report.endedAt - report.startedAt),
    confirmedPerSecond: (payments * 1000) / (lastAt - report.startedAt),
    replyMs: report.replyMs,
    cpuMs: { payer: cpuMs.payer / payments, chain: cpuMs.chain / payments },
  }
}

/** The last delivery of a session that pays. */
export const paymentText = `2*${recipient}*0.00001`

export const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

let sessions = 0

/** One delivery of a session that nobody had before, by the next caller. */
export function delivery(chain: BenchChain, text: string): string {
  sessions += 1
  const fields = { phoneNumber: chain.nextPhone(), sessionId: `bench-${sessions}`, text }
  return new URLSearchParams(fields).toString()
}
