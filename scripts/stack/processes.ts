import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { readIfThere, readJson, writeJson } from './files.ts'
import type { Folder } from './folder.ts'
import { end, identify, isRunning, type ProcessId } from './process-id.ts'

const processId = z.object({ pid: z.number(), started: z.string() })

const record = z.object({
  main: processId,
  relayUrl: z.string(),
  children: z.array(
    processId.extend({ name: z.enum(['anvil', 'workerd', 'deno', 'redis']), url: z.string() }),
  ),
})

/** A process that the stack started, as its record names it. */
export type Child = z.infer<typeof record>['children'][number]

export type Claim =
  | { kind: 'running'; main: ProcessId; relayUrl: string }
  | { kind: 'claimed'; killed: boolean; left: Child[]; processes: Processes }

/** The record of what this start runs. It is on the disk when a call returns. */
export type Processes = {
  add: (child: Child) => void
  /** Ends by force what still runs of it, and forgets it. */
  close: () => Promise<void>
}

/**
 * Makes this process the one that runs the stack of this folder. `left` are processes of an earlier
 * start that was killed and could not end them.
 */
export function claim(folder: Folder, relayUrl: string): Claim {
  const file = folder.processes
  const main = identify(process.pid)
  if (main === undefined) throw new Error(`This process (${process.pid}) cannot be found`)
  for (let killed = false, left: Child[] = []; ; ) {
    if (create(file, { main, relayUrl, children: left })) {
      return { kind: 'claimed', killed, left: left.filter(isRunning), processes: track(file) }
    }
    const other = record.safeParse(readJson(file)).data
    if (other !== undefined && isRunning(other.main)) {
      return { kind: 'running', main: other.main, relayUrl: other.relayUrl }
    }
    if (!setAside(file)) continue
    killed = true
    left = other?.children ?? []
  }
}

/** Creates the record whole or not at all; false when there is one. */
function create(file: string, content: z.infer<typeof record>): boolean {
  const temporary = `${file}.${process.pid}.new`
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 })
  try {
    linkSync(temporary, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Takes a dead start's record away. False when another start was faster: its record stays. */
function setAside(file: string): boolean {
  const before = readIfThere(file)
  const aside = `${file}.${process.pid}.old`
  try {
    renameSync(file, aside)
  } catch {
    return false
  }
  const taken = readIfThere(aside)
  const same = before !== undefined && taken?.equals(before) === true
  if (!same) linkSync(aside, file)
  rmSync(aside, { force: true })
  return same
}

function track(file: string): Processes {
  const read = () => record.parse(readJson(file))
  return {
    add: (child) => {
      const content = read()
      writeJson(file, { ...content, children: [...content.children, child] })
    },
    close: async () => {
      await Promise.all(read().children.map((child) => end(child, { graceMs: 0 })))
      rmSync(file, { force: true })
    },
  }
}
