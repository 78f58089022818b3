import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { runScript } from '../support/processes.ts'

const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url))

/** Starts a fresh clone with two packages, in a path with spaces, by an npm of these steps. */
function startWith(...steps: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'boot strap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [clone, bin] = [join(folder, 'clone of mine'), join(folder, 'bin')]
  for (const path of [bin, join(clone, 'scripts')]) mkdirSync(path, { recursive: true })
  const write = (path: string, ...lines: string[]) =>
    writeFileSync(join(clone, path), lines.join('\n'))
  cpSync(bootstrap, join(clone, 'scripts/bootstrap.mjs'))
  write('scripts/main.ts', `process.stdout.write('started\\n')`)
  const [own, other] = [{ version: '1.0.0' }, { os: ['plan9'], cpu: ['mips'], optional: true }]
  const packages = { 'node_modules/a': own, 'node_modules/b': own, 'node_modules/other': other }
  write('package-lock.json', JSON.stringify({ packages: { '': {}, ...packages } }))
  writeFileSync(join(bin, 'npm'), ['#!/bin/sh', 'set -e', ...steps].join('\n'), { mode: 0o755 })
  const PATH = [bin, process.env.PATH].join(delimiter)
  return runScript(join(clone, 'scripts/bootstrap.mjs'), ['scripts/main.ts'], { env: { PATH } })
}

test('the first start installs missing packages, and then continues', async () => {
  const ended = await startWith(
    'mkdir -p node_modules/.bin',
    'cp package-lock.json node_modules/.package-lock.json; touch node_modules/.bin/node',
  )
  expect(ended).toEqual({
    code: 0,
    output: 'Installing the packages of package-lock.json (once, about a minute)\nstarted\n',
  })
})

test('the first start reports a failed installation', async () => {
  expect(await startWith('echo there is no network >&2', 'exit 7')).toEqual({
    code: 1,
    output:
      'Installing the packages of package-lock.json (once, about a minute)\nthere is no network\nThe packages could not be installed (npm install ended with 7).\n',
  })
})
