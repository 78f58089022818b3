import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

/** A log of this size is set aside at the next start. */
const MAX_BYTES = 10_000_000

const event = z.looseObject({ message: z.string(), level: z.string().optional() })

/** What a Worker logs: raw into a file, a JSON line an event, and for people onto the terminal. */
export function createWorkerLog(file: string, print: (line: string) => void) {
  mkdirSync(dirname(file), { recursive: true })
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) {
    renameSync(file, `${file}.1`)
  }
  return (line: string): void => {
    appendFileSync(file, `${line}\n`, { mode: 0o600 })
    print(readable(line))
  }
}

/** `12:30:05 Transfer confirmed: 0x… (block=7)`; a line that is no event stays as it is. */
export function readable(line: string): string {
  const parsed = event.safeParse(parseJson(line))
  if (!parsed.success) return line
  const { message, level = 'info', time, event: name, ...fields } = parsed.data
  const at = new Date(typeof time === 'string' ? time : Date.now()).toTimeString().slice(0, 8)
  const words = Object.entries({ event: name, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const details = words.length === 0 ? '' : ` (${words.join(' ')})`
  return `${at} ${level === 'info' ? '' : `${level.toUpperCase()} `}${message}${details}`
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
