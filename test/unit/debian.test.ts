import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const debian = new URL('../../scripts/debian.ts', import.meta.url).href
const installing =
  /^This machine lacks redis-server\. Installing it, as root: apt-get install.*\ntrue$/s

/** Writes an apt-get that records its calls, and brings what it installs. */
const aptGet = (bin: string, brings: boolean) => [
  `[ "$1" = --version ] && exit 0`,
  `echo "$*" >> ${bin}/apt.log`,
  ...(brings ? [`[ "$1" != install ] || /bin/cp ${bin}/apt-get ${bin}/redis-server`] : ['exit 1']),
]

const update = 'update -qq'
const asked = [update, 'install -y -qq --no-install-recommends redis-server']

type Machine = { apt?: 'brings it' | 'lacks it'; has?: boolean; isRoot: boolean }

test.for<[what: string, machine: Machine, says: RegExp, asked: string[]]>([
  ['gets redis-server where this is root', { apt: 'brings it', isRoot: true }, installing, asked],
  ['is left alone where this is not root', { apt: 'brings it', isRoot: false }, /^\nfalse$/, []],
  ['does without where the system is not Debian', { isRoot: true }, /false$/, []],
  ['does without where Debian lacks it', { apt: 'lacks it', isRoot: true }, /false$/, [update]],
  ['that has it stays', { apt: 'brings it', has: true, isRoot: true }, /^\ntrue$/, []],
])('a machine %s', ([, { apt, has = false, isRoot }, says, wanted]) => {
  const bin = mkdtempSync(join(tmpdir(), 'bin-'))
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }))
  const add = (name: string, ...lines: string[]) =>
    writeFileSync(join(bin, name), ['#!/bin/sh', ...lines].join('\n'), { mode: 0o755 })
  if (apt !== undefined) add('apt-get', ...aptGet(bin, apt === 'brings it'))
  if (has) add('redis-server')
  const program = `import { provide } from '${debian}'
    process.stdout.write('\\n' + provide('redis-server', { isRoot: ${isRoot} }))`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { PATH: bin } },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(says)
  const log = join(bin, 'apt.log')
  const told = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
  expect(told.filter((line) => line !== '')).toEqual(wanted)
})
