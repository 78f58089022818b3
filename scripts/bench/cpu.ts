import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Clock ticks a second, in which proc(5) counts. */
const ticks = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100

/**
 * CPU milliseconds, user's and system's, that a process and those which it started have used with all
 * their threads, to 10 ms. An executable of npm's may stand before the one that does the work.
 *
 * @throws {Error} the process is gone, or this system has no /proc
 */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the command's name in brackets come state (3), …, utime (14), stime (15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  return started.reduce((sum, child) => sum + cpuMsOf(Number(child)), own)
}

/** CPU milliseconds that each process uses while the work lasts. */
export async function cpuDuring<Name extends string, Result>(
  pids: Record<Name, number>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpuMs: Record<Name, number> }> {
  const names = Object.keys(pids) as Name[]
  const before = names.map((name) => cpuMsOf(pids[name]))
  const result = await work()
  const cpuMs = Object.fromEntries(
    names.map((name, index) => [name, cpuMsOf(pids[name]) - (before[index] ?? 0)]),
  ) as Record<Name, number>
  return { result, cpuMs }
}

const loopSteps = 120_000

/**
 * CPU milliseconds of one calibration loop: 256-bit arithmetic, a hash map and JSON, in this process,
 * with nothing of ours or of a library in it. CPU figures are told in it, so that they can be compared
 * from one machine to another, and from an hour in which the machine is slow to one in which it is not.
 */
export function calibrate(): number {
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
