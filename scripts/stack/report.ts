/** Something that the person at the terminal has to know or do. Shown as it is, without a stack. */
export class StackError extends Error {
  override readonly name = 'StackError'
}

/** A line for the person at the terminal. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/**
 * Runs a command of this folder. A `StackError` ends it with its message and nothing else;
 * anything else is a fault of ours and keeps its stack.
 */
export async function command(body: () => Promise<void>): Promise<void> {
  // A reader that went away (`npm start | head`) is no fault.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    await body()
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`)
    process.exitCode = 1
  }
}

/** What to print of an error. */
export function describe(error: unknown): string {
  if (error instanceof StackError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
