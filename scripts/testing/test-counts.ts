import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

export type Counts = { passed: number; failed: number; skipped: number }

export type Outcome = Counts & { failures: readonly string[] }

/** As much of a failure's words as is shown once more at the end. */
const shownLines = 12

export function sum(all: readonly Outcome[]): Outcome {
  const add = (name: keyof Counts) => all.reduce((total, outcome) => total + outcome[name], 0)
  const failures = all.flatMap((outcome) => outcome.failures)
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped'), failures }
}

export function writeSummary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/** Writes a failure in a few lines, so that it is among the last things on the screen. */
export function writeFailure(name: string, words: string): string {
  const lines = stripVTControlCharacters(words).trim().split('\n').slice(0, shownLines)
  return [`FAILED ${name}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** Gives what `npm test` ends with: a failure anywhere, and in CI a skipped test too, is a failure. */
export function exitCode({ failed, skipped }: Counts, { CI }: { CI?: string | undefined }): 0 | 1 {
  return failed > 0 || (CI === 'true' && skipped > 0) ? 1 : 0
}

export function countCommand(name: string, output: string, code: number | null): Outcome {
  if (code === 0) return { passed: 1, failed: 0, skipped: 0, failures: [] }
  return { passed: 0, failed: 1, skipped: 0, failures: [writeFailure(name, lastLines(output))] }
}

export function countForge(output: string, code: number | null): Outcome {
  const text = stripVTControlCharacters(output)
  const line = /: (\d+) tests? passed, (\d+) failed, (\d+) skipped \(\d+ total tests?\)/.exec(text)
  const [passed = 0, failed = 0, skipped = 0] = line?.slice(1).map(Number) ?? []
  const failing = text.split('\n').filter((each) => each.startsWith('[FAIL'))
  const failures = [...new Set(failing)].map((words) => writeFailure('forge test', words))
  return believeExit({ passed, failed, skipped, failures }, 'forge test', text, code)
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

export function countVitest(json: unknown, output: string, code: number | null): Outcome {
  const files = report.safeParse(json).data?.testResults ?? []
  const statuses = files.flatMap(({ assertionResults }) =>
    assertionResults.map((each) => each.status),
  )
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length
  const [passed, skipped] = [count('passed'), statuses.length - count('passed') - count('failed')]
  const failures = files.flatMap(({ name, status, message, assertionResults }) => {
    const failing = assertionResults.filter((test) => test.status === 'failed')
    // A file that could not be loaded, or whose hooks failed, has no failed test in it.
    if (status === 'failed' && failing.length === 0) {
      return [writeFailure(name, message || 'a hook failed: Vitest says above why')]
    }
    return failing.map(({ fullName, failureMessages }) =>
      writeFailure(`${name}: ${fullName}`, (failureMessages ?? []).join('\n')),
    )
  })
  return believeExit({ passed, failed: failures.length, skipped, failures }, 'vitest', output, code)
}

/** A suite that ended with an error which no test stands for has one failure more. */
function believeExit(outcome: Outcome, name: string, output: string, code: number | null): Outcome {
  if (code === 0 || outcome.failed > 0) return outcome
  const words = `It ended with ${code}, and no test says why.\n${lastLines(output)}`
  return sum([outcome, { passed: 0, failed: 1, skipped: 0, failures: [writeFailure(name, words)] }])
}

function lastLines(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .slice(1 - shownLines)
    .join('\n')
}
