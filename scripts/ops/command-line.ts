import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { StackError, say } from '../stack/report.ts'

/** What was asked of a command; undefined where its usage was asked for, and is printed. */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  args: readonly string[] = process.argv.slice(2),
  tell: (line: string) => void = say,
) {
  const help = { type: 'boolean', short: 'h' } as const
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...options, help },
    })
    if (!('help' in parsed.values && parsed.values.help === true)) return parsed
    tell(usage)
    return undefined
  } catch {
    // The cause repeats the argument, which may be a number or a key.
    throw new StackError(`There is an unknown option, or one without its value.\n${usage}`)
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

/** What a command gets from where it is started, and where its words go. Tests start it without a process. */
export type Terminal = {
  env: NodeJS.ProcessEnv
  /** All of the standard input. */
  input: () => Promise<string>
  /** A line of the standard output. */
  say: (line: string) => void
  /** A line of the standard error. */
  complain: (line: string) => void
}

/** Of this process. */
export const ownTerminal: Terminal = {
  env: process.env,
  input: () => text(process.stdin),
  say: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
}
