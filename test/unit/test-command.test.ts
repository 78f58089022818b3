import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const command = fileURLToPath(new URL('../../scripts/test.mjs', import.meta.url))

function runWith(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  // What is asked here takes no time; a whole run of the tests would.
  return spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', timeout: 20_000 })
}

describe('npm test', () => {
  test('refuses what it does not know, in the place of running everything', () => {
    const { status, stdout, stderr } = runWith('unit', '--watch')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('npm test takes no "unit --watch"')
    expect(stderr).toContain('npx vitest run --project unit')
  })
})
