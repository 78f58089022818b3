import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sampleOf } from '../support/sample.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>
}
const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const [, script] = /^node (\S+)$/.exec(command) ?? []
  return script === undefined ? [] : [{ name, script }]
})

test.for(sampleOf(2, commands, 'commands'))('npm run $name answers --help', ({ name, script }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--help'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`npm (run )?(-s )?${name}\\b`))
})
