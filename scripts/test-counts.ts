import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

/** How many tests of a suite did what. */
export type Counts = { passed: number; failed: number; skipped: number }

/** A suite that broke before it could count is one that failed. */
const broken: Counts = { passed: 0, failed: 1, skipped: 0 }

export function sum(all: readonly Counts[]): Counts {
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    failed: all.reduce((total, { failed }) => total + failed, 0),
    skipped: all.reduce((total, { skipped }) => total + skipped, 0),
  }
}

/** The line that `npm test` ends with. */
export function summary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/** What `npm test` ends with: a failure anywhere, and in CI a skipped test too, is a failure. */
export function exitCode({ failed, skipped }: Counts, { CI }: { CI?: string | undefined }): 0 | 1 {
  return failed > 0 || (CI === 'true' && skipped > 0) ? 1 : 0
}

/** Of forge's last words; `exitCode` because a failure that no test stands for counts too. */
export function forgeCounts(output: string, exitCode: number | null): Counts {
  const line = /: (\d+) tests? passed, (\d+) failed, (\d+) skipped \(\d+ total tests?\)/
  const found = line.exec(stripVTControlCharacters(output))
  if (found === null) return broken
  const [passed, failed, skipped] = found.slice(1).map(Number)
  return withExitCode({ passed: passed ?? 0, failed: failed ?? 0, skipped: skipped ?? 0 }, exitCode)
}

const report = z.object({
  testResults: z.array(
    z.object({
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

/** Of Vitest's JSON report, undefined where it has written none. */
export function vitestCounts(text: string | undefined, exitCode: number | null): Counts {
  const parsed = report.safeParse(text === undefined ? undefined : parseJson(text))
  if (!parsed.success) return broken
  const files = parsed.data.testResults.map(({ status, assertionResults }) => {
    const statuses = assertionResults.map((assertion) => assertion.status)
    const count = (wanted: string) => statuses.filter((each) => each === wanted).length
    const [passed, failed] = [count('passed'), count('failed')]
    const counts = { passed, failed, skipped: statuses.length - passed - failed }
    // A file that could not be loaded, or whose hooks failed, has no failed test in it.
    return status === 'failed' && failed === 0 ? sum([counts, broken]) : counts
  })
  return withExitCode(sum(files), exitCode)
}

function withExitCode(counts: Counts, exitCode: number | null): Counts {
  return exitCode !== 0 && counts.failed === 0 ? sum([counts, broken]) : counts
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
