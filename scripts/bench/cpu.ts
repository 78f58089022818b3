import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Clock ticks a second, in which proc(5) counts. */
const ticks = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100

/** Gives the CPU milliseconds, to 10 ms, that a process and those which it started have used. */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the command's name in brackets come state (3), …, utime (14), stime (15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  return started.reduce((sum, child) => sum + readCpuMs(Number(child)), own)
}
