import { rmSync } from 'node:fs'
import { z } from 'zod'
import { parseJson, readIfThere, readJson, writeJson } from './files.ts'
import type { Folder } from './folder.ts'
import { createFile, ownProcess, processId, removeAbandoned } from './lock-file.ts'
import { end, isRunning, type ProcessId } from './process-id.ts'

const record = z.object({
  main: processId,
  relayUrl: z.string(),
  children: z.array(
    processId.extend({ name: z.enum(['anvil', 'workerd', 'deno', 'redis']), url: z.string() }),
  ),
})

export type Child = z.infer<typeof record>['children'][number]

export type Claim =
  | { kind: 'running'; main: ProcessId; relayUrl: string }
  | { kind: 'claimed'; killed: boolean; left: Child[]; processes: Processes }

/** The record of what this start runs. It is on the disk when a call returns. */
export type Processes = {
  add: (child: Child) => void
  close: () => Promise<void>
}

/** Makes this process the one that runs this folder's stack. `left`: what a killed start left. */
export function claim(folder: Folder, relayUrl: string): Claim {
  const file = folder.processes
  const main = ownProcess()
  for (let killed = false, left: Child[] = []; ; ) {
    const own: z.infer<typeof record> = { main, relayUrl, children: left }
    if (createFile(file, JSON.stringify(own))) {
      return { kind: 'claimed', killed, left: left.filter(isRunning), processes: track(file) }
    }
    const content = readIfThere(file)
    if (content === undefined) continue
    const other = record.safeParse(parseJson(content)).data
    if (other !== undefined && isRunning(other.main)) {
      return { kind: 'running', main: other.main, relayUrl: other.relayUrl }
    }
    if (!removeAbandoned(file, content)) continue
    killed = true
    left = other?.children ?? []
  }
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
