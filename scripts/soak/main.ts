import { createRandom } from '../dev/random.ts'
import { createCommand, type Found, flag, runAsProgram, textOr } from '../stack/command.ts'
import { Misused, say } from '../stack/report.ts'
import { createKilledDenos } from './deno.ts'
import { type SoakResult, soak } from './run.ts'

const killEveryMs = 4_000

/** Sessions a second that one key can carry with blocks of 0.4 s, and a process or two less. */
const denoSessionsPerSecond = 25

const usage = `Plays sessions of many callers on a bad line before Rootstock's pool, and judges what came of them.

  npx node scripts/soak/main.ts [--payments N] [--concurrency N] [--seed S] [--token] [--deno]

  --payments     goes on until so many were submitted (5000)
  --concurrency  sessions at a time (64)
  --seed         draws all of it (1)
  --token        over a token in place of the currency
  --deno         served by two Deno processes with one Redis, one of which is killed at random`

const soakCommand = createCommand({
  usage,
  options: {
    payments: textOr('5000'),
    concurrency: textOr('64'),
    seed: textOr('1'),
    token: flag,
    deno: flag,
  },
  async run(flags) {
    const seed = wholeNumber('seed', flags.seed)
    const onDeno = {
      perSecond: denoSessionsPerSecond,
      served: createKilledDenos(createRandom(seed, 'processes'), killEveryMs),
    }
    const result = await soak({
      payments: wholeNumber('payments', flags.payments),
      concurrency: wholeNumber('concurrency', flags.concurrency),
      seed,
      isOverToken: flags.token,
      progress: say,
      ...(flags.deno && onDeno),
    })
    return report(result)
  },
})
runAsProgram(import.meta, soakCommand)

/** Writes the result, which is bad where a count that must be 0 is not. */
function report({ verdict, replyMs, reconciled, ...result }: SoakResult): Found {
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
  const counted = Object.entries(rows).map(([name, value]) => `${name.padEnd(22)} ${value}`)
  const lines = [...counted, ...differences.slice(0, 20).map((words) => `  ${words}`)]
  return { lines, isBad: differences.length + result.gaps > 0 || result.stuck !== undefined }
}

function counts(of: Record<string, number>): string {
  return Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value > 0) return value
  throw new Misused(`--${name} is "${text}": it has to be a whole number above 0`)
}
