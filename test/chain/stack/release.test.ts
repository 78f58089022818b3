import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { readArtifact } from '../../../scripts/contracts/forge.ts'
import { readNotes, release } from '../../../scripts/release.ts'
import { version } from '../../../src/operator/version.ts'
import { runHere } from '../../support/processes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'release-'))
const tag = `v${version}`
afterAll(() => rmSync(folder, { recursive: true }))

test('a release has the Worker, each contract and their checksums, and its part of the changelog', async () => {
  const { code, output } = await runHere(release, [folder], {})
  expect(code, output).toBe(0)
  const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder })
  expect(checked.stdout.toString()).toMatch(
    /^worker.js: OK\n\w+-secp256k1.wasm: OK\nMicroLoan.json: OK\nRelayForwarder.json: OK\n$/,
  )
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  expect(read('worker.js')).toContain(version)
  const { abi, bytecode } = JSON.parse(read('MicroLoan.json'))
  const artifact = readArtifact('MicroLoan')
  expect({ abi, bytecode }).toEqual({ abi: artifact.abi, bytecode: artifact.bytecode.object })
  expect(read('NOTES.md')).toMatch(/^\S[\s\S]+\n$/)
})

test('the notes of a release are its own part of the changelog', () => {
  const parts = `# Changelog\n\n## [9.0.0]\n\nNew.\n\n## [${version}] - 2026-11-26\n\nA.\n\n### B\n`
  expect(readNotes(`${parts}\n## [0.1.0]\n\nOld.\n`)).toBe('A.\n\n### B\n')
  expect(readNotes(`${parts}\n[${version}]: ../../releases\n`)).toBe('A.\n\n### B\n')
  expect(() => readNotes('# Changelog\n')).toThrow(`CHANGELOG.md says nothing of ${version}.`)
})

/** Runs what publishes, with a `gh` that knows tag and main, and says what it was asked for. */
function publish(type: 'branch' | 'tag', name: string, tagged = '', main = 'identical') {
  const refs = tagged && `echo refs/tags/${tag}`
  const known = `*/matching-refs/*) ${refs};; */commits/*) echo ${tagged};; */compare/*) echo ${main};;`
  const cases = `${known} *) printf '%s\\n' "$@";;`
  const answer = `case "$2" in ${cases} esac\n`
  writeFileSync(join(folder, 'gh'), `#!/bin/sh\n${answer}`)
  chmodSync(join(folder, 'gh'), 0o755)
  const ref = {
    GITHUB_REF_TYPE: type,
    GITHUB_REF_NAME: name,
    GITHUB_SHA: 'abc',
    GITHUB_REPOSITORY: 'o/r',
    GITHUB_SERVER_URL: 'https://github.test',
  }
  const env = { ...process.env, ...ref, PATH: `${folder}:${process.env.PATH}` }
  const { status, stdout } = spawnSync(join(root, '.ci', 'release'), [folder], { env })
  return { status, lines: stdout.toString().trimEnd().split('\n') }
}

test('it is published under the tag of its version, whether that was pushed or not', () => {
  const files = [
    'SHA256SUMS',
    'MicroLoan.json',
    'RelayForwarder.json',
    'worker.js',
    ...globSync('*.wasm', { cwd: folder }),
  ]
  const asked = ['release', 'create', tag, '--target', 'abc', '--title', tag, '--notes-file']
  for (const [type, name] of [['branch', 'main'] as const, ['tag', tag] as const]) {
    const { status, lines } = publish(type, name, type === 'tag' ? 'abc' : '')
    expect(status).toBe(0)
    expect(lines).toEqual([...asked, ...['NOTES.md', ...files].map((file) => join(folder, file))])
  }
})

test('the links of its notes lead to the files of its tag', () => {
  writeFileSync(
    join(folder, 'NOTES.md'),
    '[a](docs/a.md#b), [c](CHANGELOG.md), [d](https://d.test)\n',
  )
  expect(publish('tag', tag, 'abc', 'ahead').status).toBe(0)
  const files = `https://github.test/o/r/blob/${tag}`
  expect(readFileSync(join(folder, 'NOTES.md'), 'utf8')).toBe(
    `[a](${files}/docs/a.md#b), [c](${files}/CHANGELOG.md), [d](https://d.test)\n`,
  )
})

test('a commit that is not on main publishes nothing', () => {
  const { status, lines } = publish('tag', tag, 'abc', 'diverged')
  const words = 'abc is not on main: a release is made of what main holds.'
  expect({ status, lines }).toEqual({ status: 1, lines: [words] })
})

test('a tag of another version publishes nothing', () => {
  const { status, lines } = publish('tag', 'v0.9.0')
  expect({ status, lines }).toEqual({
    status: 1,
    lines: [`package.json is of ${tag}, and the tag is v0.9.0.`],
  })
})

test('a version whose tag is on another commit is not published again', () => {
  const { status, lines } = publish('branch', 'main', 'def')
  expect({ status, lines }).toEqual({
    status: 1,
    lines: [`${tag} is the tag of another commit, def: raise the version in package.json.`],
  })
})
