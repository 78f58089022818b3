import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** The CPU that a file of tests used, with its processes that have ended, in ms. */
    cpuMs?: number
  }
}

const began = readCpuMs()

// The first hook of a file ends last: what the file started has ended by then.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads this argument's names as fixtures
afterAll(({}, { file }) => {
  // Vitest ends its processes by a signal, after which Node keeps nothing of what it compiled.
  flushCompileCache()
  file.meta.cpuMs = readCpuMs() - began
})

/** Reads the CPU of this process and its ended children (proc(5): fields 14 to 17), in ms. */
function readCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks * 10
}
