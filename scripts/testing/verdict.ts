import { z } from 'zod'
import { readJson } from '../stack/files.ts'

const countsSchema = z.object({
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
})

export type Counts = z.infer<typeof countsSchema>

/** Counts a step that is no test runner, such as a check. */
export const countStep = (isOk: boolean): Counts => ({
  passed: isOk ? 1 : 0,
  failed: isOk ? 0 : 1,
  skipped: 0,
})

/** Reads forge's last line: `Ran 40 test suites: 250 tests passed, 1 failed, 0 skipped`. */
export function countForge(output: string, isOk: boolean): Counts {
  const figures = /(\d+) tests passed, (\d+) failed, (\d+) skipped/.exec(output)
  if (figures === null) return countStep(isOk)
  const [passed = 0, failed = 0, skipped = 0] = figures.slice(1).map(Number)
  return withFailure({ passed, failed, skipped }, isOk)
}

/** Reads what vitest's reporter wrote. A run that ended before it wrote counts as one failure. */
export function countVitest(file: string, isOk: boolean): Counts {
  const counts = countsSchema.safeParse(readJson(file)).data
  return counts === undefined ? countStep(false) : withFailure(counts, isOk)
}

/** A failed run without a failed test has failed in another way, and counts one. */
const withFailure = (counts: Counts, isOk: boolean): Counts =>
  isOk || counts.failed > 0 ? counts : { ...counts, failed: 1 }

/** Writes the last line of a run: `N passed, N failed`. */
export function writeVerdict(all: readonly Counts[]): string {
  const sum = (name: keyof Counts) => all.reduce((total, counts) => total + counts[name], 0)
  const skipped = sum('skipped')
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
