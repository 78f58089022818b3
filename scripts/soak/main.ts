import { createRandom } from '../dev/random.ts'
import { readFlags } from '../stack/command.ts'
import { say } from '../stack/report.ts'
import { createKilledDenos } from './deno.ts'
import { type SoakResult, soak } from './run.ts'

const killEveryMs = 4_000

/** What one key carries on a chain whose blocks come every 0.4 s, with a process or two less. */
const denoSessionsPerSecond = 25

const help = `Plays sessions of many callers on a bad line before Rootstock's pool, and judges what came of them.

  npx node scripts/soak/main.ts [--sessions N | --payments N] [--concurrency N] [--seed S] [--deno]

  --sessions     how many (10000)
  --payments     goes on until so many were submitted
  --concurrency  sessions at a time (64)
  --seed         draws all of it (1)
  --deno         served by two Deno processes with one Redis, one of which is killed at random`

const flags = readFlags(help, {
  ...{ sessions: '10000', concurrency: '64', seed: '1', deno: false },
  payments: undefined,
})

const seed = wholeNumber('seed', flags.seed)
const concurrency = wholeNumber('concurrency', flags.concurrency)
const sessions =
  flags.payments === undefined
    ? wholeNumber('sessions', flags.sessions)
    : { untilSubmitted: wholeNumber('payments', flags.payments) }
const goal =
  typeof sessions === 'number' ? `${sessions} sessions` : `${sessions.untilSubmitted} payments`
say(
  `${goal}, ${concurrency} at a time, seed ${seed}, 1 % faults of every kind${flags.deno ? ', two Deno processes with one Redis, one of them killed at random' : ''}`,
)
const result = await soak({
  ...{ sessions, concurrency, seed, progress: say },
  ...(flags.deno
    ? {
        perSecond: denoSessionsPerSecond,
        served: createKilledDenos({
          random: createRandom(seed, 'processes'),
          killEveryMs,
        }),
      }
    : {}),
})
report(result)
process.exitCode = isClean(result) ? 0 : 1

/** All that has to be 0 is. */
function isClean({ verdict, stuck, gaps, reconciled }: SoakResult): boolean {
  const faults = verdict.faults.length + reconciled.differences.length + gaps
  return faults === 0 && stuck === undefined
}

function report({ verdict, replyMs, ...result }: SoakResult): void {
  const rows: [string, string | number][] = [
    ['sessions', result.sessions],
    ['deliveries', result.deliveries],
    ['replies', counts(result.replies)],
    ['faults', counts(result.faults)],
    ['payments', `${result.payments} (${verdict.failed} failed on the chain)`],
    ['payments a second', result.paymentsPerSecond.toFixed(1)],
    ['reply', `p50 ${replyMs.p50} ms, p99 ${replyMs.p99} ms, longest ${replyMs.longest} ms`],
    [
      'duration',
      `${result.seconds.toFixed(0)} s, and ${result.settledSeconds.toFixed(0)} s to settle`,
    ],
    ['duplicates', verdict.duplicates],
    ['lost', verdict.lost],
    ['untrue replies', verdict.untrue],
    ['unasked', verdict.unasked],
    ['balances that are off', verdict.unbalanced],
    ['stuck', result.stuck ?? 0],
    ['nonce gaps', result.gaps],
    ['books that differ', result.reconciled.differences.length],
  ]
  for (const [name, value] of rows) say(`${name.padEnd(22)} ${value}`)
  for (const fault of [...verdict.faults, ...result.reconciled.differences].slice(0, 20))
    say(`  ${fault}`)
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
