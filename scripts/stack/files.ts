import { createHash } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseJson } from '../../src/runtime/json.ts'
import { root } from './folder.ts'

export function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads a JSON file; undefined if it is missing or damaged. The caller checks its shape. */
export function readJson(file: string): unknown {
  const text = readIfThere(file)
  return text === undefined ? undefined : parseJson(`${text}`)
}

/** Writes so that a reader, or a crash at any moment, meets the old content or the new one. */
export function writeWhole(file: string, content: string | Uint8Array, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, content, { mode, flush: true })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Computes a digest of the paths and contents of all files of these patterns. */
export function digestFiles(patterns: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of globSync(patterns, { cwd: root }).sort()) {
    const file = join(root, path)
    if (statSync(file).isFile()) hash.update(`${path}\0`).update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

export function writeJson(file: string, value: unknown): void {
  writeWhole(file, `${JSON.stringify(value, null, 2)}\n`)
}
