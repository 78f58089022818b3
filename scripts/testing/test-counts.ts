import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { Ran } from '../run-command.ts'

/** What came of a suite: how many tests did what, and each failure in a few lines. */
export type Outcome = {
  passed: number
  failed: number
  skipped: number
  failures: readonly string[]
}

/** As much of a failure's words as is shown once more at the end. */
const shownLines = 12

export function sum(all: readonly Outcome[]): Outcome {
  const add = (name: 'passed' | 'failed' | 'skipped') =>
    all.reduce((total, outcome) => total + outcome[name], 0)
  const failures = all.flatMap((outcome) => outcome.failures)
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped'), failures }
}

export function writeSummary({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/** Gives what `npm test` ends with: a failure anywhere, and in CI a skipped test too, is a failure. */
export function exitCode({ failed, skipped }: Outcome, { CI }: { CI?: string | undefined }): 0 | 1 {
  return failed > 0 || (CI === 'true' && skipped > 0) ? 1 : 0
}

/** Counts a suite by what it says of itself; an error that no failure stands for is one failure more. */
function count(
  name: string,
  { code, output }: Pick<Ran, 'code' | 'output'>,
  { passed = 0, skipped = 0, failures = [] as [name: string, words: string][] },
): Outcome {
  const lines = output.trimEnd().split('\n')
  const end = lines.slice(1 - shownLines).join('\n')
  const isTold = code === 0 || failures.length > 0
  const all = isTold ? failures : [[name, `It ended with ${code}.\n${end}`] as const]
  const written = all.map(([name, words]) => {
    const lines = stripVTControlCharacters(words).trim().split('\n').slice(0, shownLines)
    return [`FAILED ${name}`, ...lines.map((line) => `  ${line}`)].join('\n')
  })
  return { passed, failed: all.length, skipped, failures: written }
}

/** Counts a command that is one test. */
export const countCommand = (name: string, ran: Pick<Ran, 'code' | 'output'>): Outcome =>
  count(name, ran, { passed: ran.code === 0 ? 1 : 0 })

/** Counts forge's tests by its last line. */
export function countForge(ran: Pick<Ran, 'code' | 'output'>): Outcome {
  const text = stripVTControlCharacters(ran.output)
  const line = /: (\d+) tests? passed, \d+ failed, (\d+) skipped \(\d+ total tests?\)/.exec(text)
  const [passed = 0, skipped = 0] = line?.slice(1).map(Number) ?? []
  const failing = new Set(text.split('\n').filter((each) => each.startsWith('[FAIL')))
  const failures = [...failing].map((words): [string, string] => ['forge test', words])
  return count('forge test', ran, { passed, skipped, failures })
}

const test = z.object({
  status: z.string(),
  fullName: z.string(),
  failureMessages: z.array(z.string()).nullish(),
})
const file = z.object({
  ...{ name: z.string(), status: z.string(), message: z.string() },
  assertionResults: z.array(test),
})
const report = z.object({ testResults: z.array(file) })

/** Counts Vitest's tests by its JSON report, undefined where it has written none. */
export function countVitest(json: unknown, ran: Pick<Ran, 'code' | 'output'>): Outcome {
  const files = report.safeParse(json).data?.testResults ?? []
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((one) => ({ ...one, name })),
  )
  const passed = tests.filter(({ status }) => status === 'passed').length
  const failed = tests.filter(({ status }) => status === 'failed')
  // A file that could not be loaded, or whose hooks failed, has no failed test in it.
  const broken = files.filter(
    ({ name, status }) => status === 'failed' && !failed.some((one) => one.name === name),
  )
  const failures: [string, string][] = [
    ...failed.map(({ name, fullName, failureMessages }): [string, string] => [
      `${name}: ${fullName}`,
      (failureMessages ?? []).join('\n'),
    ]),
    ...broken.map(({ name, message }): [string, string] => [
      name,
      message || 'a hook failed: Vitest says above why',
    ]),
  ]
  const skipped = tests.length - passed - failed.length
  return count('vitest', ran, { passed, skipped, failures })
}
