import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sampleOf } from '../support/sample.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>
}
const commands = Object.entries(scripts).map(([name, command]) => {
  return { name, words: command.split(' ') }
})

test('every npm run command installs its own Node and packages', () => {
  const others = commands.filter(({ words }) => words[1] !== 'scripts/bootstrap.mjs')
  expect(others).toEqual([])
})

test.for(sampleOf(2, commands, 'commands'))('npm run $name answers --help', ({ name, words }) => {
  const [, ...command] = words
  const { status, stdout, stderr } = spawnSync(process.execPath, [...command, '--help'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`npm (run )?(-s )?${name}\\b`))
})
