import { parseArgs } from 'node:util'
import { createRandom } from '../dev/random.ts'
import { createKilledDenos } from './deno.ts'
import { type SoakResult, soak } from './run.ts'

const killEveryMs = 4_000

/** What one key carries on a chain whose blocks come every 0.4 s, with a process or two less. */
const denoSessionsPerSecond = 25

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '10000' },
    concurrency: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
    /** Goes on until so many were submitted, in the place of a number of sessions. */
    payments: { type: 'string' },
    /** Served by two Deno processes with one Redis, one of which is killed at random. */
    deno: { type: 'boolean', default: false },
  },
})

const seed = wholeNumber('seed', values.seed)
const concurrency = wholeNumber('concurrency', values.concurrency)
const sessions =
  values.payments === undefined
    ? wholeNumber('sessions', values.sessions)
    : { untilSubmitted: wholeNumber('payments', values.payments) }
const goal =
  typeof sessions === 'number' ? `${sessions} sessions` : `${sessions.untilSubmitted} payments`
say(
  `${goal}, ${concurrency} at a time, seed ${seed}, 1 % faults of every kind${values.deno ? ', two Deno processes with one Redis, one of them killed at random' : ''}`,
)
const result = await soak({
  ...{ sessions, concurrency, seed, progress: say },
  ...(values.deno
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

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
