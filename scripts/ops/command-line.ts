import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { StackError, say } from '../stack/report.ts'

/** What was asked of a command; undefined where its usage was asked for, and is printed. */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  args: readonly string[] = process.argv.slice(2),
) {
  const help = { type: 'boolean', short: 'h' } as const
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, help },
    })
    if (!('help' in parsed.values && parsed.values.help === true)) return parsed
    say(usage)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw new StackError(`${reason}.\n${usage}`)
  }
}

/**
 * A telephone number, from a prompt or from what is piped in: as an argument a shell would keep it, and
 * every user of the machine could see it.
 */
export async function readNumber(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question('The number: ')).trim()
  } finally {
    terminal.close()
  }
}
