export type LogLine = { level: string; event: string; message: string; [field: string]: unknown }

/** A line of the log; what is printed that is none is an error. */
export function logLineOf(printed: string): LogLine {
  try {
    return JSON.parse(printed)
  } catch {
    return { level: 'error', event: 'console', message: printed }
  }
}
