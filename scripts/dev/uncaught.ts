/** What a runtime writes where something was thrown that nothing caught. */
const uncaught = /^(uncaught exception|uncaught: |Uncaught |error: Uncaught )/m

/** What bad lines and killed processes bring with them, and tests of both are there for. */
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
