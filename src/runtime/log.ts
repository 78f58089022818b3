/** Holds no phone number, PIN, typed text, key or secret; intent ids identify payments. */
export type LogEvent = {
  level: 'info' | 'warn' | 'error'
  /** Names the event, with dots and never renamed: `payment.confirmed`. */
  event: string
  message: string
  [field: string]: string | number | boolean | undefined
}

export type Log = (event: LogEvent) => void

/** Maps levels to console methods, on which platforms alert. */
const consoleMethods = { info: 'log', warn: 'warn', error: 'error' } as const

export function createConsoleLog(now: () => number): Log {
  return (event) => {
    const line = JSON.stringify({ time: new Date(now()).toISOString(), ...event })
    // biome-ignore lint/suspicious/noConsole: the console is a Worker's log, and a process's
    console[consoleMethods[event.level]](line)
  }
}

/** Limits a fault's first line; further lines of some libraries contain values. */
const maxFaultLength = 200

/** Matches a URL, or a numeric address with its port, which may hold a key. */
const address =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f.]*:[0-9a-f:.]*\](?::\d+)?/gi

/** Describes a fault for logs: first lines down to the first cause, without addresses. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'a non-Error value was thrown'
  const [firstLine = ''] = error.message.split('\n')
  // Remove addresses before cutting: half of one is as bad.
  const message = firstLine.replace(address, '<address>')
  const own = `${error.name}: ${message}`.slice(0, maxFaultLength)
  return error.cause === undefined ? own : `${own} < ${describeFault(error.cause)}`
}
