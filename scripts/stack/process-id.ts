import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { until } from '../dev/wait.ts'
import { readIfThere } from './files.ts'

/** A process for good: a pid alone is given to another process sooner or later. */
export type ProcessId = { pid: number; started: string }

/** The process that has this pid now; undefined without one, or with its remains alone. */
export function identify(pid: number): ProcessId | undefined {
  const status = inspect(pid)
  return status === undefined ? undefined : { pid, started: status.started }
}

export function isRunning({ pid, started }: ProcessId): boolean {
  return inspect(pid)?.started === started
}

export function children(): ProcessId[] {
  const { pid } = process
  // Node starts processes from its main thread, whose id is that of the process; not every kernel has that file.
  const own = readIfThere(`/proc/${pid}/task/${pid}/children`)
  const pids = `${own ?? spawnSync('pgrep', ['-P', `${pid}`]).stdout}`.match(/\d+/g) ?? []
  return pids.flatMap((child) => identify(Number(child)) ?? [])
}

/** Ends a process, by force if it does not go by itself in time; resolves when it is gone. */
export async function end(id: ProcessId, { graceMs }: { graceMs: number }): Promise<void> {
  if (graceMs > 0) signal(id, 'SIGTERM')
  const forced = setTimeout(() => signal(id, 'SIGKILL'), graceMs)
  await until(() => !isRunning(id))
  clearTimeout(forced)
}

function signal(id: ProcessId, name: NodeJS.Signals): void {
  if (!isRunning(id)) return
  try {
    process.kill(id.pid, name)
  } catch {
    // Gone between the two lines.
  }
}

let bootId: string | undefined

const inspect = process.platform === 'linux' ? inspectProc : inspectPs

/** proc(5): after the command's name in brackets come state (3), parent (4), …, start time (22). */
function inspectProc(pid: number): { parent: number; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, startTicks] = [fields[0], fields[1], fields[19]]
    if (state === undefined || parent === undefined || 'ZX'.includes(state)) return undefined
    // Ticks count from the machine's start, so the start belongs to the name.
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { parent: Number(parent), started: `${bootId}:${startTicks}` }
  } catch {
    return undefined
  }
}

function inspectPs(pid: number): ReturnType<typeof inspectProc> {
  const args = ['-o', 'ppid=,stat=,lstart=', '-p', `${pid}`]
  const { stdout } = spawnSync('ps', args, { encoding: 'utf8' })
  const [, parent, state, started] = /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(stdout ?? '') ?? []
  if (parent === undefined || started === undefined || state?.startsWith('Z')) return undefined
  return { parent: Number(parent), started }
}

/** Calls back when npm or the bootstrap is killed: nobody could end a stack without them. */
export function watchStarter(onGone: () => void): void {
  // The bootstrap keeps a channel open, if there had to be one.
  process.once('disconnect', onGone)
  const npm = findNpm()
  if (npm === undefined) return
  const timer = setInterval(() => {
    if (isRunning(npm)) return
    clearInterval(timer)
    onGone()
  }, 500)
  timer.unref()
}

/** Finds npm, which gives itself the title `npm start`; where no file shows that, the channel has to do. */
function findNpm(pid: number | undefined = process.ppid): ProcessId | undefined {
  if (process.env.npm_lifecycle_event === undefined || pid === undefined) return undefined
  const isNpm = /^npm\b/.test(`${readIfThere(`/proc/${pid}/cmdline`)}`)
  return isNpm ? identify(pid) : findNpm(inspect(pid)?.parent)
}
