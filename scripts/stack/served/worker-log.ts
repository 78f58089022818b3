import { appendFileSync } from 'node:fs'
import { z } from 'zod'
import { parseJson } from '../../../src/runtime/json.ts'

const event = z.looseObject({ message: z.string(), level: z.string().optional() })

/** Writes a Worker's log: raw JSON lines into a file, and readable lines onto the terminal. */
export function createWorkerLog(file: string, print: (line: string) => void) {
  return (line: string): void => {
    appendFileSync(file, `${line}\n`, { mode: 0o600 })
    print(readable(line))
  }
}

/** Fields that the message says already. */
const said = ['event', 'from', 'to', 'hash']

/** `12:30:05 Transfer confirmed: 0x… (intent=0x5e23ed98)`; any other line stays as it is. */
export function readable(line: string): string {
  const parsed = event.safeParse(parseJson(line))
  if (!parsed.success) return line
  const { message, level = 'info', time, ...fields } = parsed.data
  const at = new Date(typeof time === 'string' ? time : Date.now()).toTimeString().slice(0, 8)
  const details = Object.entries(fields)
    .filter(([name, value]) => value !== undefined && !said.includes(name))
    .map(([name, value]) => `${name}=${shortened(value)}`)
  const grade = level === 'info' ? '' : `${level.toUpperCase()} `
  return `${at} ${grade}${message}${details.length === 0 ? '' : ` (${details.join(' ')})`}`
}

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^0x[0-9a-f]{64}$/.test(text) ? text.slice(0, 10) : text
}
