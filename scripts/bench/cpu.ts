import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Clock ticks a second, in which proc(5) counts. */
const ticks = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100

/**
 * Gives the CPU milliseconds, user's and system's, that a process and those which it started have used,
 * to 10 ms. An executable of npm's may stand before the one that does the work.
 */
function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the command's name in brackets come state (3), …, utime (14), stime (15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  return started.reduce((sum, child) => sum + readCpuMs(Number(child)), own)
}

/** Measures the CPU milliseconds that each process uses while the work lasts. */
export async function measureCpu<Name extends string, Result>(
  pids: Record<Name, number>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpuMs: Record<Name, number> }> {
  const entries = Object.entries(pids) as [Name, number][]
  const before = entries.map(([, pid]) => readCpuMs(pid))
  const result = await work()
  const cpuMs = Object.fromEntries(
    entries.map(([name, pid], index) => [name, readCpuMs(pid) - (before[index] ?? 0)]),
  ) as Record<Name, number>
  return { result, cpuMs }
}
