import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../scripts/dev/wait.ts'

const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url))

/** A fresh clone of a repository with two packages, in a path as people have it. */
let clone: string
let bin: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'boot strap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  clone = join(folder, 'clone of mine')
  bin = join(folder, 'bin')
  for (const path of [bin, join(clone, 'scripts')]) mkdirSync(path, { recursive: true })
  cpSync(bootstrap, join(clone, 'scripts/bootstrap.mjs'))
  writeFileSync(
    join(clone, 'scripts/start.mjs'),
    `import { run } from './bootstrap.mjs'\nawait run('scripts/main.ts', [])\n`,
  )
  writeFileSync(join(clone, 'scripts/main.ts'), `process.stdout.write('started\\n')\n`)
  const other = { version: '1.0.0', os: ['plan9'], cpu: ['mips'], optional: true }
  const packages = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/other': other,
  }
  writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages }))
})

/** An npm that brings the packages of the lock file one after the other, as it is let. */
function addNpm(...steps: string[]): void {
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\nset -e\n${steps.join('\n')}\n`, { mode: 0o755 })
}

function start(): { output: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [join(clone, 'scripts/start.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: [bin, process.env.PATH].join(delimiter) },
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
  })
  return { output: () => output, ended }
}

describe('the first start', () => {
  test('says how far the installation is, and goes on when it is complete', async () => {
    const all = 'cp package-lock.json node_modules/.package-lock.json; touch node_modules/.bin/node'
    addNpm(
      'mkdir -p node_modules/.bin node_modules/a node_modules/b',
      'echo {} > node_modules/a/package.json',
      'until [ -e go ]; do sleep 0.05; done',
      all,
    )
    const { output, ended } = start()
    await until(() => output().includes('  1 of 2 packages\n'))
    writeFileSync(join(clone, 'go'), '')
    expect(await ended).toBe(0)
    expect(output()).toMatch(/^Installing the packages of package-lock.json/)
    expect(output()).toMatch(/started\n$/)
  })

  test('says so where the installation fails', async () => {
    addNpm('echo there is no network >&2', 'exit 7')
    const { output, ended } = start()
    expect(await ended).toBe(1)
    expect(output()).toBe(
      'Installing the packages of package-lock.json (once, about a minute)\nthere is no network\nThe packages could not be installed (npm install ended with 7).\n',
    )
  })
})
