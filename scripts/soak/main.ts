import { createRandom } from '../dev/random.ts'
import { flag, readFlags, textOr } from '../stack/command.ts'
import { say } from '../stack/report.ts'
import { createKilledDenos } from './deno.ts'
import { type SoakResult, soak } from './run.ts'

const killEveryMs = 4_000

/** Sessions a second that one key can carry with blocks of 0.4 s, and a process or two less. */
const denoSessionsPerSecond = 25

const help = `Plays sessions of many callers on a bad line before Rootstock's pool, and judges what came of them.

  npx node scripts/soak/main.ts [--payments N] [--concurrency N] [--seed S] [--deno]

  --payments     goes on until so many were submitted (5000)
  --concurrency  sessions at a time (64)
  --seed         draws all of it (1)
  --deno         served by two Deno processes with one Redis, one of which is killed at random`

const flags = readFlags(help, {
  payments: textOr('5000'),
  concurrency: textOr('64'),
  seed: textOr('1'),
  deno: flag,
})

const seed = wholeNumber('seed', flags.seed)
const onDeno = {
  perSecond: denoSessionsPerSecond,
  served: createKilledDenos(createRandom(seed, 'processes'), killEveryMs),
}
const result = await soak({
  payments: wholeNumber('payments', flags.payments),
  concurrency: wholeNumber('concurrency', flags.concurrency),
  seed,
  progress: say,
  ...(flags.deno && onDeno),
})
process.exitCode = report(result) ? 0 : 1

/** Prints the result; returns whether every count that must be 0 is 0. */
function report({ verdict, replyMs, reconciled, ...result }: SoakResult): boolean {
  const { executed, failed, lost, faults } = verdict
  const differences = [...faults, ...reconciled.differences]
  const rows: Record<string, string | number> = {
    sessions: result.sessions,
    deliveries: result.deliveries,
    replies: counts(result.replies),
    faults: counts(result.faults),
    payments: `${executed} executed, ${failed} failed on the chain`,
    'payments a second': (result.payments / result.seconds).toFixed(1),
    reply: `p50 ${replyMs.p50} ms, p99 ${replyMs.p99} ms, longest ${replyMs.longest} ms`,
    duration: `${result.seconds.toFixed(0)} s, and ${result.settledSeconds.toFixed(0)} s to settle`,
    'broken promises': `${faults.length}, ${lost} of them lost`,
    stuck: result.stuck ?? 0,
    'nonce gaps': result.gaps,
    'books that differ': reconciled.differences.length,
  }
  for (const [name, value] of Object.entries(rows)) say(`${name.padEnd(22)} ${value}`)
  for (const words of differences.slice(0, 20)) say(`  ${words}`)
  return differences.length + result.gaps === 0 && result.stuck === undefined
}

function counts(of: Record<string, number>): string {
  return Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value > 0) return value
  process.stderr.write(`--${name} is "${text}": it has to be a whole number above 0\n`)
  process.exit(1)
}
