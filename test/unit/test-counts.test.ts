import { test } from 'vitest'
import { exitCode, forgeCounts, sum, summary, vitestCounts } from '../../scripts/test-counts.ts'

const file = (status: string, ...statuses: string[]) => ({
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
})
const reportOf = (...testResults: unknown[]) => JSON.stringify({ testResults })

test("forge's tests are counted from its last line, with or without colours", ({ expect }) => {
  const words =
    'Ran 2 test suites in 1.2s (2s CPU time): \u001b[32m41\u001b[0m tests passed, \u001b[31m1\u001b[0m failed, \u001b[33m2\u001b[0m skipped (44 total tests)'
  expect(forgeCounts(words, 1)).toEqual({ passed: 41, failed: 1, skipped: 2 })
})

test('a forge that could not compile is one failure', ({ expect }) => {
  expect(forgeCounts('Error: Compiler run failed', 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test("Vitest's tests are counted over all files", ({ expect }) => {
  const report = reportOf(file('passed', 'passed', 'pending'), file('failed', 'passed', 'failed'))
  expect(vitestCounts(report, 1)).toEqual({ passed: 2, failed: 1, skipped: 1 })
})

test('a file that could not be loaded is one failure beside the others', ({ expect }) => {
  const report = reportOf(file('failed'), file('failed', 'failed'))
  expect(vitestCounts(report, 1)).toEqual({ passed: 0, failed: 2, skipped: 0 })
})

test('an exit code without a failed test is one failure', ({ expect }) => {
  expect(vitestCounts(reportOf(file('passed', 'passed')), 1).failed).toBe(1)
  expect(vitestCounts(undefined, null).failed).toBe(1)
  expect(forgeCounts(': 3 tests passed, 0 failed, 0 skipped (3 total tests)', 2).failed).toBe(1)
})

test('the last line names skipped tests only if there are some', ({ expect }) => {
  const counts = { passed: 2, failed: 0, skipped: 0 }
  expect(summary(counts)).toBe('2 passed, 0 failed')
  expect(summary(sum([counts, { passed: 1, failed: 1, skipped: 3 }]))).toBe(
    '3 passed, 1 failed, 3 skipped',
  )
})

test('a skipped test is a failure in CI, and nowhere else', ({ expect }) => {
  const skipped = { passed: 2, failed: 0, skipped: 1 }
  expect(exitCode(skipped, { CI: 'true' })).toBe(1)
  expect(exitCode(skipped, {})).toBe(0)
  expect(exitCode({ ...skipped, skipped: 0 }, { CI: 'true' })).toBe(0)
  expect(exitCode({ ...skipped, failed: 1 }, {})).toBe(1)
})
