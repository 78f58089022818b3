import { describe, test } from 'vitest'
import {
  describeFailures,
  exitCode,
  forgeOutcome,
  sum,
  summary,
  vitestOutcome,
} from '../../scripts/testing/test-counts.ts'

const file = (status: string, ...statuses: string[]) => ({
  name: 'a.test.ts',
  status,
  message: 'it could not be loaded',
  assertionResults: statuses.map((each) => ({
    status: each,
    fullName: `does ${each}`,
    failureMessages: each === 'failed' ? ['AssertionError: 1 is not 2'] : [],
  })),
})
const reportOf = (...testResults: unknown[]) => JSON.stringify({ testResults })
const countsOf = ({ passed, failed, skipped }: ReturnType<typeof sum>) => ({
  ...{ passed, failed, skipped },
})

describe("forge's tests", () => {
  const words =
    '[FAIL: 1 != 2] test_Adds() (gas: 3)\nRan 2 test suites in 1.2s (2s CPU time): \u001b[32m41\u001b[0m tests passed, \u001b[31m1\u001b[0m failed, \u001b[33m2\u001b[0m skipped (44 total tests)\n\nFailing tests:\nEncountered 1 failing test in a.t.sol:A\n[FAIL: 1 != 2] test_Adds() (gas: 3)\n'

  test('are counted from its last line, with or without colours', ({ expect }) => {
    expect(countsOf(forgeOutcome(words, 1))).toEqual({ passed: 41, failed: 1, skipped: 2 })
  })

  test('that fail are named once, with their reason', ({ expect }) => {
    expect(forgeOutcome(words, 1).failures).toEqual([
      { name: 'forge test_Adds() (gas: 3)', words: '[FAIL: 1 != 2] test_Adds() (gas: 3)' },
    ])
  })

  test('that could not be compiled are one failure', ({ expect }) => {
    const outcome = forgeOutcome('Error: Compiler run failed', 1)
    expect(countsOf(outcome)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(outcome.failures).toEqual([{ name: 'forge test', words: 'Error: Compiler run failed' }])
  })
})

describe("Vitest's tests", () => {
  test('are counted over all files', ({ expect }) => {
    const report = reportOf(file('passed', 'passed', 'pending'), file('failed', 'passed', 'failed'))
    expect(countsOf(vitestOutcome(report, '', 1))).toEqual({ passed: 2, failed: 1, skipped: 1 })
  })

  test('that fail are named, with what they expected', ({ expect }) => {
    expect(vitestOutcome(reportOf(file('failed', 'failed')), '', 1).failures).toEqual([
      { name: 'a.test.ts: does failed', words: 'AssertionError: 1 is not 2' },
    ])
  })

  test('of a file that could not be loaded are one failure beside the others', ({ expect }) => {
    const report = reportOf(file('failed'), file('failed', 'failed'))
    const outcome = vitestOutcome(report, '', 1)
    expect(countsOf(outcome)).toEqual({ passed: 0, failed: 2, skipped: 0 })
    expect(outcome.failures[0]).toEqual({ name: 'a.test.ts', words: 'it could not be loaded' })
  })
})

test('a hook that failed says why, though the report does not', ({ expect }) => {
  const broken = { ...file('failed', 'pending'), name: '/home/me/test/a.test.ts', message: '' }
  const printed =
    '\n FAIL  unit  test/b.test.ts > b\nError: of b\n\n FAIL  unit  test/a.test.ts > a\nForgeError: forge failed:\na line\nError: no such file\n at x.ts:1\n\n⎯⎯[2/2]⎯\nError: later\n'
  expect(vitestOutcome(reportOf(broken), printed, 1).failures).toEqual([
    { name: '/home/me/test/a.test.ts', words: 'ForgeError: forge failed:\nError: no such file' },
  ])
})

test('an exit code without a failed test is one failure, and shows what was thrown', ({
  expect,
}) => {
  const printed = 'a line\n\u001b[31mUnhandled Errors \u001b[0m\nError: nobody caught it\n'
  const { failed, failures } = vitestOutcome(reportOf(file('passed', 'passed')), printed, 1)
  expect(failed).toBe(1)
  expect(failures[0]?.words).toContain('Error: nobody caught it')
  expect(vitestOutcome(undefined, '', null).failed).toBe(1)
  expect(forgeOutcome(': 3 tests passed, 0 failed, 0 skipped (3 total tests)', 2).failed).toBe(1)
})

test('the last line names skipped tests only if there are some', ({ expect }) => {
  const counts = { passed: 2, failed: 0, skipped: 0, failures: [] }
  expect(summary(counts)).toBe('2 passed, 0 failed')
  expect(summary(sum([counts, { passed: 1, failed: 1, skipped: 3, failures: [] }]))).toBe(
    '3 passed, 1 failed, 3 skipped',
  )
})

test('a failure is told again in a few lines', ({ expect }) => {
  const words = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  const told = describeFailures([
    { name: 'one', words },
    { name: 'two', words: 'a reason' },
  ])
  expect(told).toMatch(/^FAILED one\n {2}line 0\n/)
  expect(told).toMatch(/\n {2}line 11\n\nFAILED two\n {2}a reason$/)
})

test('a skipped test is a failure in CI, and nowhere else', ({ expect }) => {
  const skipped = { passed: 2, failed: 0, skipped: 1 }
  expect(exitCode(skipped, { CI: 'true' })).toBe(1)
  expect(exitCode(skipped, {})).toBe(0)
  expect(exitCode({ ...skipped, skipped: 0 }, { CI: 'true' })).toBe(0)
  expect(exitCode({ ...skipped, failed: 1 }, {})).toBe(1)
})
