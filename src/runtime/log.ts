/** Holds no phone number, PIN, typed text, key or secret. Intent ids identify payments. */
export type LogEvent = {
  level: 'info' | 'warn' | 'error'
  /** Names the event, with dots and never renamed: `payment.confirmed`. */
  event: string
  message: string
  [field: string]: string | number | boolean | undefined
}

export type Log = (event: LogEvent) => void

/** Maps levels to console methods, since platforms raise alerts by the method. */
const consoleMethods = { info: 'log', warn: 'warn', error: 'error' } as const

export function createConsoleLog(now: () => number): Log {
  return (event) => {
    const line = JSON.stringify({ time: new Date(now()).toISOString(), ...event })
    // biome-ignore lint/suspicious/noConsole: the console is a Worker's log, and a process's
    console[consoleMethods[event.level]](line)
  }
}

/** Returns what a function returns; undefined if it throws. */
export function tryTo<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** Does what may fail: a failure is logged as this event, and leaves the result undefined. */
export async function tryOrLog<T>(
  log: Log,
  event: Pick<LogEvent, 'level' | 'event'> & { alert?: string },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log({ ...event, message: describeFault(error) })
    return undefined
  }
}

/** Limits the first line of a fault. Further lines, which may hold values, are left out. */
const maxFaultLength = 200

/** Matches a URL, which may hold a key, or an IP address with its port. */
const address =
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f.]*:[0-9a-f:.]*\](?::\d+)?/gi

/** Describes a fault and its causes for the log, each by its first line without addresses. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'a non-Error value was thrown'
  const [firstLine = ''] = error.message.split('\n')
  // Addresses are removed before the text is cut, because half an address may hold a key, too.
  const message = firstLine.replace(address, '<address>')
  const description = `${error.name}: ${message}`.slice(0, maxFaultLength)
  return error.cause === undefined ? description : `${description} < ${describeFault(error.cause)}`
}
