import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

type Entry = { version?: string; optionalDependencies?: Record<string, string> }

const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
const { packages } = JSON.parse(lock) as { packages: Record<string, Entry> }

describe('package-lock.json', () => {
  test('names the packages of every platform, or npm ci refuses it there', () => {
    const named = new Set(
      Object.entries(packages).map(([path, { version }]) => `${nameOf(path)}@${version}`),
    )
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      // A range is another package's wish: npm chose a version for it.
      Object.entries(optionalDependencies).filter(([, version]) => /^\d/.test(version)),
    )
    expect(wanted.length).toBeGreaterThan(100)
    expect(
      wanted.map(([name, version]) => `${name}@${version}`).filter((id) => !named.has(id)),
    ).toEqual([])
  })

  test('holds no address of a registry', () => {
    expect(lock).not.toMatch(/"resolved": "[a-z+]+:/)
  })
})

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
