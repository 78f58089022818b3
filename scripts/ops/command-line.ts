import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { command, StackError, say } from '../stack/report.ts'
import { type OperatorClient, openOperator } from './operator-client.ts'

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

/** What an action found: for programs as it is, for people in lines. */
export type Found = { json: unknown; lines: readonly string[]; isBad?: boolean }

/** The options that every command of an operator has. */
const commonOptions = { url: { type: 'string' }, json: { type: 'boolean' } } as const

export type Values<Options extends ParseArgsOptionsConfig> = NonNullable<
  ReturnType<typeof readCommandLine<Options & typeof commonOptions>>
>['values']

/** Something that a command does: how many arguments it takes, and what it finds. Undefined: it has said all. */
export type Action<Options extends ParseArgsOptionsConfig> = {
  takes: readonly number[]
  run: (
    operator: OperatorClient,
    values: Values<Options>,
    given: readonly string[],
  ) => Promise<Found | undefined>
}

type OperatorCommand<Options extends ParseArgsOptionsConfig> = {
  usage: string
  options: Options
  actions: Readonly<Record<string, Action<Options>>>
  /** What is done where nothing is named. */
  usual?: string
}

/** A command of the operator's: does what is named first, and ends with 1 where that found something bad. */
export async function operatorCommand<const Options extends ParseArgsOptionsConfig>({
  usage,
  options,
  actions,
  usual = '',
}: OperatorCommand<Options>): Promise<void> {
  await command(async () => {
    const asked = readCommandLine(usage, { ...options, ...commonOptions })
    if (asked === undefined) return
    const { url, json } = asked.values as { url?: string; json?: boolean }
    const [what = usual, ...given] = asked.positionals
    const action = actions[what]
    // What is too much may be a number: it is not shown again.
    if (action === undefined || !action.takes.includes(given.length)) throw new StackError(usage)
    const values = asked.values as Values<Options>
    const found = await action.run(openOperator(url, process.env), values, given)
    for (const line of json && found ? [JSON.stringify(found.json)] : (found?.lines ?? []))
      say(line)
    if (found?.isBad) process.exitCode = 1
  })
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
