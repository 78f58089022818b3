import { randomUUID } from 'node:crypto'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson, readIfThere } from './files.ts'
import { identify, isRunning, type ProcessId } from './process-id.ts'

export const processId = z.object({ pid: z.number(), started: z.string() })

export function ownProcess(): ProcessId {
  const own = identify(process.pid)
  if (own === undefined) throw new Error(`This process (${process.pid}) cannot be found`)
  return own
}

/** Creates a file whole or not at all; false when there is one. */
export function createFile(file: string, content: string): boolean {
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
export function removeAbandoned(file: string, content: Buffer): boolean {
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

/** Waits until this process alone has the lock, which a process that was killed holds no longer. */
export async function lockFile(file: string): Promise<() => void> {
  const own = JSON.stringify(ownProcess())
  while (!createFile(file, own)) {
    const held = readIfThere(file)
    if (held === undefined) continue
    const holder = processId.safeParse(parseJson(held)).data
    if (holder === undefined || !isRunning(holder)) removeAbandoned(file, held)
    else await sleep(100)
  }
  return () => rmSync(file, { force: true })
}
