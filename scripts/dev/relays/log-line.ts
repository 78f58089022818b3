export type LogLine = { level: string; event: string; message: string; [field: string]: unknown }

/** Parses a line of the log. @throws {Error} another line was printed */
export function parseLogLine(printed: string): LogLine {
  try {
    return JSON.parse(printed)
  } catch {
    return { level: 'error', event: 'console', message: printed }
  }
}
