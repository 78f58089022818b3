import { expect, test } from 'vitest'
import {
  countCommand,
  countForge,
  countVitest,
  exitCode,
  type Outcome,
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
const countFiles = (...testResults: unknown[]) => countVitest({ testResults }, '', 1)
const outcomeOf = (passed: number, failed: number, skipped: number): Outcome => {
  return { passed, failed, skipped, failures: [] }
}

test("forge's tests are counted from its last line, and those that fail are told once", () => {
  const words =
    '[FAIL: 1 != 2] test_Adds() (gas: 3)\nRan 2 test suites in 1.2s (2s CPU time): \u001b[32m41\u001b[0m tests passed, \u001b[31m1\u001b[0m failed, \u001b[33m2\u001b[0m skipped (44 total tests)\n\nFailing tests:\nEncountered 1 failing test in a.t.sol:A\n[FAIL: 1 != 2] test_Adds() (gas: 3)\n'
  expect(countForge(words, 1)).toEqual({
    ...outcomeOf(41, 1, 2),
    failures: ['FAILED forge test\n  [FAIL: 1 != 2] test_Adds() (gas: 3)'],
  })
})

test("Vitest's tests are counted over all files, those that fail are told, and a file that could not be loaded is one", () => {
  const outcome = countFiles(
    file('passed', 'passed', 'pending'),
    file('failed', 'failed'),
    file('failed'),
  )
  expect(outcome).toEqual({
    ...outcomeOf(1, 2, 1),
    failures: [
      'FAILED a.test.ts: does failed\n  AssertionError: 1 is not 2',
      'FAILED a.test.ts\n  it could not be loaded',
    ],
  })
})

test('an exit code without a failed test is one failure, and shows the last words', () => {
  const printed = 'a line\n\u001b[31mUnhandled Errors \u001b[0m\nError: nobody caught it\n'
  const report = { testResults: [file('passed', 'passed')] }
  const { passed, failed, failures } = countVitest(report, printed, 1)
  expect({ passed, failed }).toEqual({ passed: 1, failed: 1 })
  expect(failures[0]).toContain('Unhandled Errors \n  Error: nobody caught it')
  expect(countVitest(undefined, '', null).failed).toBe(1)
  expect(countForge('Error: Compiler run failed', 1).failed).toBe(1)
  expect(countForge(': 3 tests passed, 0 failed, 0 skipped (3 total tests)', 2).failed).toBe(1)
  expect(countCommand('a check', 'why', 1).failures).toEqual(['FAILED a check\n  why'])
  expect(countCommand('a check', '', 0)).toEqual(outcomeOf(1, 0, 0))
})

test('a skipped test is a failure in CI, and nowhere else', () => {
  expect(exitCode(outcomeOf(2, 0, 1), { CI: 'true' })).toBe(1)
  expect(exitCode(outcomeOf(2, 0, 1), {})).toBe(0)
  expect(exitCode(outcomeOf(2, 0, 0), { CI: 'true' })).toBe(0)
  expect(exitCode(outcomeOf(2, 1, 0), {})).toBe(1)
})
