/** What a runtime writes where something was thrown that nothing caught. */
const uncaught = /^(uncaught exception|uncaught: |Uncaught |error: Uncaught )/m

/** What bad lines and killed processes bring with them, and tests of both are there for. */
const lostConnection =
  /Network connection lost|Connection refused|disconnected|connection (closed|reset)/i

/**
 * Ends a test whose relays threw what nothing caught.
 *
 * @throws {Error} with what they wrote of it
 */
export function assertNothingUncaught(lines: readonly string[]): void {
  const words = lines.filter((line) => uncaught.test(line) && !lostConnection.test(line))
  if (words.length > 0) throw new Error(`nothing caught this:\n${words.join('\n')}`)
}
