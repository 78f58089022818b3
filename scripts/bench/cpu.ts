import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { StackError } from '../stack/report.ts'

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

/** Finds the process that listens on a TCP port. @throws {StackError} this user sees none */
export function findListener(port: number): number {
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFileSync(file, 'utf8'))
  // A row has its local address (1), state (3; 0A listens), …, inode (9).
  const rows = tables.flatMap((table) => table.split('\n')).map((row) => row.trim().split(/\s+/))
  const socket = rows.find((row) => row[1]?.endsWith(address) && row[3] === '0A')?.[9] ?? 'none'
  const script = 'find /proc/[0-9]*/fd -lname "socket:?$0?"'
  const { stdout } = spawnSync('sh', ['-c', script, socket], { encoding: 'utf8' })
  const pid = /^\/proc\/(\d+)\//.exec(stdout)?.[1]
  if (pid === undefined) throw new StackError(`This user sees no process that serves port ${port}.`)
  return Number(pid)
}
