import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { tryTo } from '../../src/runtime/log.ts'
import { sleep, until } from '../dev/wait.ts'
import { readIfThere, readJson, writeJson } from './files.ts'
import type { Folder } from './folder.ts'

const processId = z.object({ pid: z.number(), started: z.string() })

/** Identifies a process permanently, because a pid is used again later. */
export type ProcessId = z.infer<typeof processId>

const record = z.object({
  main: processId,
  relayUrl: z.string(),
  children: z.array(
    processId.extend({ name: z.enum(['anvil', 'workerd', 'deno', 'redis']), url: z.string() }),
  ),
})

export type Child = z.infer<typeof record>['children'][number]

/** Records what this start runs; each call returns after the write. */
export type Processes = Extract<Awaited<ReturnType<typeof claim>>, { kind: 'claimed' }>['processes']

/** Makes this process the one that runs this folder's stack. `left`: what a killed start left. */
export async function claim(folder: Folder, relayUrl: string) {
  const file = folder.processes
  const read = () => record.safeParse(readJson(file)).data
  let lock = takeLock(folder.lock)
  while (lock === undefined) {
    // Between a start's lock and its record stands the record of the start before it.
    const running = read()
    if (running !== undefined && isRunning(running.main))
      return { kind: 'running' as const, ...running }
    await sleep(10)
    lock = takeLock(folder.lock)
  }
  const main = identify(process.pid)
  if (main === undefined) throw new Error(`This process (${process.pid}) cannot be found`)
  const before = read()
  let children = before?.children ?? []
  const write = () => writeJson(file, { main, relayUrl, children })
  write()
  const processes = {
    add: (pid: number, name: Child['name'], url = '') => {
      const id = identify(pid)
      if (id !== undefined) children = [...children, { ...id, name, url }]
      write()
    },
    /** Ends by force what still runs of it, and forgets it. */
    close: async () => {
      await Promise.all(children.map((child) => end(child, { graceMs: 0 })))
      rmSync(file, { force: true })
      lock?.close()
    },
  }
  const left = children.filter(isRunning)
  return { kind: 'claimed' as const, killed: before !== undefined, left, processes }
}

/** Waits until this process alone has the lock, which the system takes from a process that ends. */
export async function lockFile(file: string): Promise<Disposable> {
  for (;;) {
    const lock = takeLock(file)
    if (lock !== undefined) return lock
    await sleep(100)
  }
}

/** Takes SQLite's lock of a file until it is closed; undefined if another process has it. */
function takeLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
}

/** Finds the process with this pid; undefined without one, or if it is a zombie. */
export function identify(pid: number): ProcessId | undefined {
  const status = inspect(pid)
  return status === undefined ? undefined : { pid, started: status.started }
}

export function isRunning({ pid, started }: ProcessId): boolean {
  return inspect(pid)?.started === started
}

export function children(): ProcessId[] {
  const { pid } = process
  // Node starts processes from its main thread, whose id is that of the process; not every kernel
  // has that file.
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
  // It may be gone between the two.
  if (isRunning(id)) tryTo(() => process.kill(id.pid, name))
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
  // Alone it keeps no process alive that has done its work.
  process.channel?.unref()
  const npm = findNpm()
  if (npm === undefined) return
  const timer = setInterval(() => {
    if (isRunning(npm)) return
    clearInterval(timer)
    onGone()
  }, 500)
  timer.unref()
}

/** Finds npm by its title `npm start`; where no file shows that, the channel must do. */
function findNpm(pid: number | undefined = process.ppid): ProcessId | undefined {
  if (process.env.npm_lifecycle_event === undefined || pid === undefined) return undefined
  const isNpm = /^npm\b/.test(`${readIfThere(`/proc/${pid}/cmdline`)}`)
  return isNpm ? identify(pid) : findNpm(inspect(pid)?.parent)
}
