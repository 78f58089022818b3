import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../stack/folder.ts'
import type { Run } from './figures.ts'
import { median } from './statistics.ts'

/** Tools whose versions a figure depends on. */
const tools = ['workerd', 'miniflare', '@foundry-rs/anvil', 'viem', 'hono', 'autocannon', 'deno']

/** The machine and the versions that a run is measured with. */
export function describeMachine(): Run['machine'] {
  const [first] = cpus()
  // The first loops are the compiler's.
  const loops = Array.from({ length: 8 }, calibrate).slice(3)
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    calibrationMs: median(loops),
    versions: {
      node: process.version.slice(1),
      ...Object.fromEntries(tools.map((name) => [name.split('/').at(-1), versionOf(name)])),
      ...redisVersion(),
    },
  }
}

function versionOf(name: string): string {
  const file = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(file)).version
}

function redisVersion(): Record<string, string> {
  const { stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  const [, version] = /v=(\S+)/.exec(stdout ?? '') ?? []
  return version === undefined ? {} : { redis: version }
}

const loopSteps = 120_000

/**
 * CPU milliseconds of one calibration loop: 256-bit arithmetic, a hash map and JSON, in this process,
 * with nothing of ours or of a library in it. It says how quick the machine was while a run began.
 */
function calibrate(): number {
  const before = process.cpuUsage()
  let value = 0x9e3779b97f4a7c15n
  const modulus = 2n ** 256n - 189n
  const seen = new Map<string, number>()
  let length = 0
  for (let step = 0; step < loopSteps; step += 1) {
    value = (value * value + BigInt(step)) % modulus
    if (step % 16 === 0) {
      const text = JSON.stringify({ step, value: value.toString(16) })
      seen.set(text.slice(-12), (JSON.parse(text) as { step: number }).step)
      length += text.length
    }
  }
  if (seen.size === 0 || length === 0) throw new Error('the calibration loop did nothing')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
