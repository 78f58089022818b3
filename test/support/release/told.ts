import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Told } from './release.suite.ts'

/** Names the releases whose stored data is kept: what one wrote is never written again. */
export const releases = ['1.0.0'] as const

export type Store = 'sqlite.sql' | 'redis.jsonl'

const fileOf = (release: string, name: string) =>
  join(import.meta.dirname, '..', '..', 'fixtures', `release-${release}`, name)

/** Reads what a release stored, a statement or a command a line. */
export function readStored(release: string, store: Store): string[] {
  return readFileSync(fileOf(release, store), 'utf8').trimEnd().split('\n')
}

export function readTold(release: string, store: Store): Told {
  return JSON.parse(readFileSync(fileOf(release, `${store}.json`), 'utf8'))
}

/** Writes both, so that a change of a line is seen as one. */
export function writeRelease(release: string, store: Store, stored: string[], told: Told): void {
  mkdirSync(fileOf(release, ''), { recursive: true })
  writeFileSync(fileOf(release, store), `${stored.join('\n')}\n`)
  const lines = Object.entries(told).map(([name, value]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((one) => JSON.stringify(one)).join(',\n')}\n]`
      : JSON.stringify(value)
    return `"${name}": ${text}`
  })
  writeFileSync(fileOf(release, `${store}.json`), `{\n${lines.join(',\n')}\n}\n`)
}
