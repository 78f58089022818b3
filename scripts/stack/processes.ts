import { randomUUID } from 'node:crypto'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson, readIfThere, readJson, writeJson } from './files.ts'
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

/** Makes this process the one that runs this folder's stack. `left`: what a killed start left. */
export function claim({ processes: file }: Folder, relayUrl: string): Claim {
  const main = ownProcess()
  const childrenOf = (left?: { content: unknown }) =>
    record.safeParse(left?.content).data?.children ?? []
  const taken = takeFile(file, {
    own: (left) => ({ main, relayUrl, children: childrenOf(left) }),
    holderOf: (content) => record.safeParse(content).data?.main,
  })
  if ('content' in taken) {
    const { main, relayUrl } = record.parse(taken.content)
    return { kind: 'running', main, relayUrl }
  }
  const left = childrenOf(taken.left).filter(isRunning)
  return { kind: 'claimed', killed: taken.left !== undefined, left, processes: track(file) }
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

/** Waits until this process alone has the lock, which a process that was killed holds no longer. */
export async function lockFile(file: string): Promise<() => void> {
  const own = ownProcess()
  const holderOf = (content: unknown) => processId.safeParse(content).data
  while ('content' in takeFile(file, { own: () => own, holderOf })) await sleep(100)
  return () => rmSync(file, { force: true })
}

function ownProcess(): ProcessId {
  const own = identify(process.pid)
  if (own === undefined) throw new Error(`This process (${process.pid}) cannot be found`)
  return own
}

type Taking = {
  /** What is written, where a process that was killed has left a file or not. */
  own: (left?: { content: unknown }) => object
  holderOf: (content: unknown) => ProcessId | undefined
}

/** Makes a file this process's own; gives its content where a process that runs holds it. */
function takeFile(
  file: string,
  { own, holderOf }: Taking,
): { content: unknown } | { left: { content: unknown } | undefined } {
  for (let left: { content: unknown } | undefined; ; ) {
    if (createFile(file, JSON.stringify(own(left)))) return { left }
    const found = readIfThere(file)
    if (found === undefined) continue
    const content = parseJson(found)
    const holder = holderOf(content)
    if (holder !== undefined && isRunning(holder)) return { content }
    if (removeAbandoned(file, found)) left = { content }
  }
}

/** Creates a file whole or not at all; false when there is one. */
function createFile(file: string, content: string): boolean {
  const temporary = `${file}.${randomUUID()}.new`
  writeFileSync(temporary, content, { mode: 0o600 })
  try {
    // A link is there with all that it says or not at all, wherever a process is killed.
    linkSync(temporary, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Takes a dead process's file away. False when another process was faster: its file stays. */
function removeAbandoned(file: string, content: Buffer): boolean {
  const aside = `${file}.${randomUUID()}.old`
  try {
    renameSync(file, aside)
  } catch {
    return false
  }
  const isSame = readIfThere(aside)?.equals(content) === true
  if (!isSame) linkSync(aside, file)
  rmSync(aside, { force: true })
  return isSame
}
