import { until } from '../dev/wait.ts'
import { readCpuMs } from './cpu.ts'
import { type Load, now, runLoad } from './load.ts'
import { type BenchChain, recipient } from './served/chain.ts'

/** Describes what takes USSD deliveries and pays: the relay, or a baseline. */
export type Payer = { url: string; pid: number; confirmed: ReturnType<typeof countConfirmations> }

/** Counts lines that end a payment, as the specification words them. */
export function countConfirmations() {
  let seen = 0
  let lines = 0
  let lastAt = 0
  return {
    onLine(line: string) {
      lines += 1
      if (!line.includes('Transfer confirmed: 0x')) return
      seen += 1
      lastAt = now()
    },
    lines: () => lines,
    /** Waits until so many more payments are confirmed; returns the last one's time (Unix ms). */
    async next(count: number) {
      const goal = seen + count
      const late = () => new Error(`${goal - seen} of ${count} payments were not confirmed`)
      await until(() => seen >= goal, { everyMs: 10, withinMs: 120_000, late })
      return lastAt
    },
  }
}

export const form = { 'content-type': 'application/x-www-form-urlencoded' }

export type PaymentRound = Awaited<ReturnType<typeof payRound>>

export async function payRound(
  chain: BenchChain,
  { url, pid, confirmed }: Payer,
  payments: number,
  pace: Load['pace'],
) {
  const bodies = Array.from({ length: payments }, () => writePayment(chain))
  const expects = 'END Transfer Submitted\nTo: 0x0000'
  const before = readCpuMs(pid)
  const [{ startedAt, endedAt, replyMs }, lastAt] = await Promise.all([
    runLoad({ url: `${url}/ussd`, headers: form, bodies, pace, expects }),
    confirmed.next(payments),
  ])
  return {
    acceptedPerSecond: (payments * 1000) / (endedAt - startedAt),
    confirmedPerSecond: (payments * 1000) / (lastAt - startedAt),
    replyMs,
    /** CPU milliseconds of the payer's process, a payment. */
    cpuMs: (readCpuMs(pid) - before) / payments,
  }
}

let sessions = 0

/** Writes the last delivery of a new session that pays, by the next caller. */
export function writePayment(chain: BenchChain): string {
  sessions += 1
  const text = `2*${recipient}*0.00001`
  const fields = { phoneNumber: chain.nextPhone(), sessionId: `bench-${sessions}`, text }
  return new URLSearchParams(fields).toString()
}
