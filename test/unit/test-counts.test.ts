import { expect, test } from 'vitest'
import {
  countCommand,
  countForge,
  countVitest,
  exitCode,
  type Outcome,
} from '../../scripts/testing/test-counts.ts'

const file = (status: string, ...statuses: string[]) => ({
  name: `${statuses}.test.ts`,
  status,
  message: 'it could not be loaded',
  assertionResults: statuses.map((each) => ({
    status: each,
    fullName: `does ${each}`,
    failureMessages: each === 'failed' ? ['AssertionError: 1 is not 2'] : [],
  })),
})
const outcomeOf = (passed: number, failed: number, skipped: number, ...failures: string[]) =>
  ({ passed, failed, skipped, failures }) satisfies Outcome

test("forge's tests are counted from its last line, and those that fail are told once", () => {
  const output =
    '[FAIL: 1 != 2] test_Adds() (gas: 3)\nRan 2 test suites in 1.2s (2s CPU time): \u001b[32m41\u001b[0m tests passed, \u001b[31m1\u001b[0m failed, \u001b[33m2\u001b[0m skipped (44 total tests)\n\nFailing tests:\nEncountered 1 failing test in a.t.sol:A\n[FAIL: 1 != 2] test_Adds() (gas: 3)\n'
  const failure = 'FAILED forge test\n  [FAIL: 1 != 2] test_Adds() (gas: 3)'
  expect(countForge({ output, code: 1 })).toEqual(outcomeOf(41, 1, 2, failure))
})

test("Vitest's tests are counted over all files, those that fail are told, and a file that could not be loaded is one", () => {
  const testResults = [file('passed', 'passed', 'pending'), file('failed', 'failed')]
  const all = { testResults: [...testResults, file('failed')] }
  expect(countVitest(all, { output: '', code: 1 })).toEqual(
    outcomeOf(
      ...([1, 2, 1] as const),
      'FAILED failed.test.ts: does failed\n  AssertionError: 1 is not 2',
      'FAILED .test.ts\n  it could not be loaded',
    ),
  )
})

test('an exit code without a failed test is one failure, and shows the last words', () => {
  const output = 'a line\n\u001b[31mUnhandled Errors \u001b[0m\nError: nobody caught it\n'
  const report = { testResults: [file('passed', 'passed')] }
  const { passed, failed, failures } = countVitest(report, { output, code: 1 })
  expect({ passed, failed }).toEqual({ passed: 1, failed: 1 })
  expect(failures[0]).toContain('Unhandled Errors \n  Error: nobody caught it')
  expect(countVitest(undefined, { output: '', code: null }).failed).toBe(1)
  expect(countForge({ output: 'Error: Compiler run failed', code: 1 }).failed).toBe(1)
  const odd = ': 3 tests passed, 0 failed, 0 skipped (3 total tests)'
  expect(countForge({ output: odd, code: 2 }).failed).toBe(1)
  const failure = 'FAILED a check\n  It ended with 1.\n  why'
  expect(countCommand('a check', { output: 'why', code: 1 }).failures).toEqual([failure])
  expect(countCommand('a check', { output: '', code: 0 })).toEqual(outcomeOf(1, 0, 0))
})

test('a skipped test is a failure in CI, and nowhere else', () => {
  expect(exitCode(outcomeOf(2, 0, 1), { CI: 'true' })).toBe(1)
  expect(exitCode(outcomeOf(2, 0, 1), {})).toBe(0)
  expect(exitCode(outcomeOf(2, 0, 0), { CI: 'true' })).toBe(0)
  expect(exitCode(outcomeOf(2, 1, 0), {})).toBe(1)
})
