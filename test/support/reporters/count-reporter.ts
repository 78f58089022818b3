import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Writes how many tests passed and failed to the file that `npm test` names, for its last line. */
export const createCountReporter = (file: string | undefined): Reporter => ({
  onTestRunEnd(modules) {
    if (file !== undefined) writeFileSync(file, JSON.stringify(countTests(modules)))
  },
})

function countTests(modules: readonly TestModule[]) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const module of modules) {
    const tests = [...module.children.allTests()]
    for (const test of tests) {
      const { state } = test.result()
      counts[state === 'pending' ? 'failed' : state] += 1
    }
    // A file that could not be loaded, or whose hook failed, has no failed test.
    if (module.errors().length > 0) counts.failed += 1
  }
  return counts
}
