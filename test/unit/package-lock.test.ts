import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Entry = { version?: string; optionalDependencies?: Record<string, string> }

const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
const { packages } = JSON.parse(lock) as { packages: Record<string, Entry> }

test('package-lock.json names the packages of every platform, or npm ci refuses it there', () => {
  const named = new Set(
    Object.entries(packages).map(([path, { version }]) => `${nameOf(path)}@${version}`),
  )
  const wanted = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
    // A range is another package's wish: npm chose a version for it.
    .filter(([, version]) => /^\d/.test(version))
    .map(([name, version]) => `${name}@${version}`)
  expect(wanted.length).toBeGreaterThan(100)
  expect(wanted.filter((id) => !named.has(id))).toEqual([])
})

test('package-lock.json holds no address of a registry', () => {
  expect(lock).not.toMatch(/"resolved": "[a-z+]+:/)
})

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
