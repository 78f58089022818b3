import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

/** How many tests of a suite did what. */
export type Counts = { passed: number; failed: number; skipped: number }

/** What failed, and why, in its own words. */
export type Failure = { name: string; words: string }

/** What came of a suite. */
export type Outcome = Counts & { failures: readonly Failure[] }

/** As much of a failure's words as is shown once more at the end. */
const shownLines = 12

export function sum(all: readonly Outcome[]): Outcome {
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    failed: all.reduce((total, { failed }) => total + failed, 0),
    skipped: all.reduce((total, { skipped }) => total + skipped, 0),
    failures: all.flatMap(({ failures }) => failures),
  }
}

/** The line that `npm test` ends with. */
export function summary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/** All failures in a few lines each, so that they are the last thing on the screen. */
export function describeFailures(failures: readonly Failure[]): string {
  return failures
    .map(({ name, words }) => {
      const lines = words.trim().split('\n').slice(0, shownLines)
      return [`FAILED ${name}`, ...lines.map((line) => `  ${line}`)].join('\n')
    })
    .join('\n\n')
}

/** What `npm test` ends with: a failure anywhere, and in CI a skipped test too, is a failure. */
export function exitCode({ failed, skipped }: Counts, { CI }: { CI?: string | undefined }): 0 | 1 {
  return failed > 0 || (CI === 'true' && skipped > 0) ? 1 : 0
}

/** Of forge's last words; `exitCode` because a failure that no test stands for counts too. */
export function forgeOutcome(output: string, exitCode: number | null): Outcome {
  const text = stripVTControlCharacters(output)
  const line = /: (\d+) tests? passed, (\d+) failed, (\d+) skipped \(\d+ total tests?\)/
  const found = line.exec(text)
  if (found === null) return broken('forge test', lastLines(text))
  const [passed = 0, failed = 0, skipped = 0] = found.slice(1).map(Number)
  const told = /Failing tests:\n([\s\S]*)/.exec(text)?.[1] ?? text
  const failures = told
    .split('\n')
    .filter((each) => each.startsWith('[FAIL'))
    .map((words) => ({ name: `forge ${words.replace(/^.*\] /, '')}`, words }))
  return withExitCode({ passed, failed, skipped, failures }, 'forge test', text, exitCode)
}

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

/** Of Vitest's JSON report, undefined where it has written none, and of what it printed. */
export function vitestOutcome(
  text: string | undefined,
  output: string,
  exitCode: number | null,
): Outcome {
  const printed = stripVTControlCharacters(output)
  const parsed = report.safeParse(text === undefined ? undefined : parseJson(text))
  if (!parsed.success) return broken('vitest', lastLines(printed))
  const files = parsed.data.testResults.map((file) => fileOutcome(file, printed))
  return withExitCode(sum(files), 'vitest', printed, exitCode)
}

function fileOutcome(
  file: z.output<typeof report>['testResults'][number],
  printed: string,
): Outcome {
  const { assertionResults: tests } = file
  const failing = tests.filter(({ status }) => status === 'failed')
  const passed = tests.filter(({ status }) => status === 'passed').length
  const counts = {
    ...{ passed, failed: failing.length },
    skipped: tests.length - passed - failing.length,
    failures: failing.map(({ fullName, failureMessages }) => ({
      name: `${file.name}: ${fullName}`,
      words: (failureMessages ?? []).join('\n'),
    })),
  }
  // A file that could not be loaded, or whose hooks failed, has no failed test in it.
  const isBroken = file.status === 'failed' && failing.length === 0
  return isBroken
    ? sum([counts, broken(file.name, file.message || printedOf(file.name, printed))])
    : counts
}

/** What was printed of a failing hook: its begin, and what else names an error. The report is silent of it. */
function printedOf(name: string, printed: string): string {
  const path = name.slice(name.lastIndexOf('/test/') + 1)
  const lines = printed.split('\n')
  const begin = lines.findIndex((line) => line.startsWith(' FAIL ') && line.includes(path))
  if (begin < 0) return 'it failed outside its tests'
  const after = lines.slice(begin + 1)
  const end = after.findIndex((line) => line.startsWith(' FAIL ') || line.startsWith('⎯'))
  const [first = '', ...others] = after.slice(0, end < 0 ? undefined : end)
  return [first, ...others.filter((line) => /\berror\b/i.test(line))].join('\n')
}

/** A suite that broke before it could count, or beside what it counts, is one that failed. */
function broken(name: string, words: string): Outcome {
  return { passed: 0, failed: 1, skipped: 0, failures: [{ name, words }] }
}

function withExitCode(
  outcome: Outcome,
  name: string,
  printed: string,
  exitCode: number | null,
): Outcome {
  if (exitCode === 0 || outcome.failed > 0) return outcome
  const reason = `It ended with ${exitCode}, and no test says why.`
  return sum([outcome, broken(name, `${reason}\n${uncaught(printed) ?? lastLines(printed)}`)])
}

/** What was thrown where no test could catch it. */
function uncaught(printed: string): string | undefined {
  const told = /(?:Unhandled Errors? |Workerd tells of exceptions)[\s\S]*/.exec(printed)?.[0]
  return told?.split('\n').slice(0, shownLines).join('\n')
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-shownLines).join('\n')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
