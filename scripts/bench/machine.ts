import { spawnSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { readJson } from '../stack/files.ts'
import { root } from '../stack/folder.ts'
import type { Results } from './figures.ts'
import { median } from './statistics.ts'

/** Tools whose versions a figure depends on. */
const tools = ['workerd', 'miniflare', '@foundry-rs/anvil', 'viem', 'hono', 'deno']

/** Describes the machine and the versions that a run is measured with. */
export function describeMachine(): Pick<Results, 'machine' | 'calibrationMs' | 'versions'> {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  const redis = spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout ?? ''
  const versions = [
    `node ${process.version.slice(1)}`,
    ...tools.map((name) => `${name.split('/').at(-1)} ${readVersion(name)}`),
    `redis ${/v=(\S+)/.exec(redis)?.[1] ?? 'none'}`,
  ]
  return {
    machine: `${cpus().length} cores (${first?.model.trim()}, ${memory} GiB, ${type()} ${release()})`,
    // The first loops are the compiler's.
    calibrationMs: median(Array.from({ length: 8 }, calibrate).slice(3)),
    versions: versions.join(', '),
  }
}

function readVersion(name: string): string {
  const file = readJson(join(root, 'node_modules', name, 'package.json'))
  return z.object({ version: z.string() }).parse(file).version
}

/**
 * Gives the CPU milliseconds of one calibration loop: 256-bit arithmetic, a hash map and JSON, with
 * nothing of ours or of a library in it. It says how quick the machine was while a run began.
 */
function calibrate(): number {
  const before = process.cpuUsage()
  let value = 0x9e3779b97f4a7c15n
  const seen = new Map<string, number>()
  for (let step = 0; step < 120_000; step += 1) {
    value = (value * value + BigInt(step)) % (2n ** 256n - 189n)
    if (step % 16 === 0) {
      const text = JSON.stringify({ step, value: value.toString(16) })
      seen.set(text.slice(-12), JSON.parse(text).step)
    }
  }
  if (seen.size === 0) throw new Error('the calibration loop did nothing')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
