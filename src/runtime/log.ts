/**
 * One thing that happened. Never holds a phone number, a PIN, what was typed, a key or a secret:
 * callers appear by their intent ids, which name a payment and not a person.
 */
export type LogEvent = {
  level: 'info' | 'warn' | 'error'
  /** Stable name, dotted: `payment.confirmed`. */
  event: string
  /** For people. */
  message: string
  [field: string]: string | number | boolean | undefined
}

export type Log = (event: LogEvent) => void

/** One JSON line an event, to the runtime's console. */
export function createJsonLog(now: () => number, write: (line: string) => void): Log {
  return (event) => write(JSON.stringify({ time: new Date(now()).toISOString(), ...event }))
}

/** A fault's first line says what happened; what follows in some libraries' are the values at hand. */
const MAX_FAULT_LENGTH = 200

/** What a log may hold of a fault: names and the first lines of messages down to the first cause. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is no error was thrown'
  const own = `${error.name}: ${error.message.split('\n')[0]}`.slice(0, MAX_FAULT_LENGTH)
  return error.cause === undefined ? own : `${own} < ${faultOf(error.cause)}`
}
