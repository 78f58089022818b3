import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, describe, test } from 'vitest'
import { z } from 'zod'

const module = new URL('../../../scripts/dev/ports.ts', import.meta.url).href

/** So many that some would come twice, were they only drawn at random among those that are free. */
const each = 1_000

/** Asks for ports, prints them and keeps running. */
const program = `
  import { freePort } from ${JSON.stringify(module)}
  console.log(JSON.stringify(await Promise.all(Array.from({ length: ${each} }, freePort))))
  process.stdin.resume()`

describe('freePort', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children) child.kill()
  })

  test('gives no port to two while both processes run', async ({ expect }) => {
    const given = await Promise.all([askInAProcess(), askInAProcess()])
    expect(new Set(given.flat()).size).toBe(2 * each)
  })

  async function askInAProcess(): Promise<number[]> {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    children.push(child)
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    return z.array(z.number()).parse(JSON.parse(String(line)))
  }
})
