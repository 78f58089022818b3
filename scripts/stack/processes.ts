import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { sleep } from '../dev/wait.ts'
import { readJson, writeJson } from './files.ts'
import type { Folder } from './folder.ts'
import { end, identify, isRunning } from './process-id.ts'

const processId = z.object({ pid: z.number(), started: z.string() })

const record = z.object({
  main: processId,
  relayUrl: z.string(),
  children: z.array(
    processId.extend({ name: z.enum(['anvil', 'workerd', 'deno', 'redis']), url: z.string() }),
  ),
})

export type Child = z.infer<typeof record>['children'][number]

/** The record of what this start runs. It is on the disk when a call returns. */
export type Processes = Extract<Awaited<ReturnType<typeof claim>>, { kind: 'claimed' }>['processes']

/** Makes this process the one that runs this folder's stack. `left`: what a killed start left. */
export async function claim(folder: Folder, relayUrl: string) {
  const file = folder.processes
  const read = () => record.safeParse(readJson(file)).data
  let release = takeLock(folder.lock)
  while (release === undefined) {
    // Between a start's lock and its record stands the record of the start before it.
    const running = read()
    if (running !== undefined && isRunning(running.main))
      return { kind: 'running' as const, ...running }
    await sleep(10)
    release = takeLock(folder.lock)
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
      release?.()
    },
  }
  return {
    kind: 'claimed' as const,
    killed: before !== undefined,
    left: children.filter(isRunning),
    processes,
  }
}

/** Waits until this process alone has the lock, which the system takes from a process that ends. */
export async function lockFile(file: string): Promise<() => void> {
  for (;;) {
    const release = takeLock(file)
    if (release !== undefined) return release
    await sleep(100)
  }
}

/** Takes SQLite's lock of a file, and gives what releases it; undefined where another process has it. */
function takeLock(file: string): (() => void) | undefined {
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN EXCLUSIVE')
    return () => database.close()
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
}
