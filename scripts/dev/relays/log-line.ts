import { parseJson } from '../../../src/runtime/json.ts'

export type LogLine = { level: string; event: string; message: string; [field: string]: unknown }

/** Parses a line of the log; any other line that was printed is an error's message. */
export const parseLogLine = (printed: string): LogLine =>
  (parseJson(printed) as LogLine) ?? { level: 'error', event: 'console', message: printed }

/** Matches what a runtime prints about an uncaught error. */
const uncaught = /^(uncaught exception|uncaught: |Uncaught |error: Uncaught )/m

/** Matches errors that bad lines and killed processes cause on purpose. */
const lostConnection =
  /Network connection lost|Connection refused|disconnected|connection (closed|reset)/i

/** Matches workerd's words for a frame that RFC 6455 forbids; no Worker's code throws it. */
const forbiddenFrame =
  /failed: remote\.jsg\.Error: WebSocket protocol error; protocolError\.statusCode = /

const expected = (line: string) => lostConnection.test(line) || forbiddenFrame.test(line)

/** Checks what relays wrote. @throws {Error} with what they threw and nothing caught */
export function assertNothingUncaught(lines: readonly string[]): void {
  const words = lines.filter((line) => uncaught.test(line) && !expected(line))
  if (words.length > 0) throw new Error(`nothing caught this:\n${words.join('\n')}`)
}
