import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import {
  countForge,
  countStep,
  countVitest,
  writeVerdict,
} from '../../../scripts/testing/verdict.ts'

test('the last line of a run counts the tests of all runners and the checks', ({ expect }) => {
  const forge =
    'Ran 40 test suites in 3.1s: 250 tests passed, 0 failed, 0 skipped (250 total tests)'
  const all = [countForge(forge, true), countStep(true), countStep(true)]
  expect(writeVerdict(all)).toBe('252 passed, 0 failed')
  expect(writeVerdict([...all, countStep(false)])).toBe('252 passed, 1 failed')
  const skipped = countForge('Ran 1 test suite: 3 tests passed, 1 failed, 2 skipped', false)
  expect(writeVerdict([skipped])).toBe('3 passed, 1 failed, 2 skipped')
})

test('a run that fails without a failed test counts one failure', ({ expect }) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'verdict-'))
  const file = join(folder.path, 'counts.json')
  expect(countVitest(file, false)).toMatchObject({ passed: 0, failed: 1 })
  expect(countVitest(file, true)).toMatchObject({ passed: 0, failed: 1 })
  writeFileSync(file, JSON.stringify({ passed: 7, failed: 0, skipped: 0 }))
  expect(countVitest(file, true)).toMatchObject({ passed: 7, failed: 0 })
  expect(countVitest(file, false)).toMatchObject({ passed: 7, failed: 1 })
  expect(countForge('Compiler run failed', false)).toMatchObject({ passed: 0, failed: 1 })
})
