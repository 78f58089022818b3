import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const command = ['scripts/bootstrap.mjs', 'scripts/testing/test.ts']

test('npm test refuses unknown options and runs nothing', () => {
  // What is asked here takes no time; a whole run of the tests would.
  const options = { cwd: root, encoding: 'utf8', timeout: 20_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, 'unit'], options)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain('npm test takes nothing: it runs everything.')
  expect(stderr).toContain('npx vitest run --project unit')
})

test('npm test fails in CI if redis-server is missing: CI leaves nothing out', () => {
  const env = { PATH: '', CI: 'true' }
  const { status, stdout } = spawnSync(process.execPath, command, {
    ...{ cwd: root, encoding: 'utf8', env },
  })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^redis-server is missing: what needs it is left out\..*\n$/)
})
