import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

const npx = (...args: string[]) => spawnSync('npx', args, { cwd, encoding: 'utf8' })

test('npx forge ends with the exit code of forge itself', () => {
  const refused = npx('forge', 'no-such-command')
  expect(refused.stderr).toContain("unrecognized subcommand 'no-such-command'")
  expect(refused.status).toBe(2)
  expect(npx('forge', '--version').status).toBe(0)
})
