import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readJson } from './files.ts'
import { describe, Misused, StackError, say } from './report.ts'

/** Declares options by their defaults: a boolean is a switch, all others take a text. */
export type Usual = Readonly<Record<string, string | boolean | undefined>>

export type Values<Options extends Usual> = {
  -readonly [Name in keyof Options]: Options[Name] extends boolean
    ? boolean
    : Options[Name] extends string
      ? string
      : string | undefined
}

/** Holds a command's result: JSON for programs, lines for people. `isBad` exits with 1. */
export type Found = { json?: unknown; lines: readonly string[]; isBad?: boolean }

/** Gives a command its surroundings, so that tests start it without a process. */
export type Terminal = {
  env: NodeJS.ProcessEnv
  input: () => Promise<string>
  say: (line: string) => void
  complain: (line: string) => void
}

export const ownTerminal: Terminal = {
  env: process.env,
  input: () => text(process.stdin),
  say,
  complain: (line) => void process.stderr.write(`${line}\n`),
}

/** Declares a command of `npm run`; it returns nothing if it has printed everything. */
type Declared<Options extends Usual> = {
  usage: string
  options: Options
  run: (
    values: Values<Options>,
    given: readonly string[],
    terminal: Terminal,
  ) => Promise<Found | undefined>
}

export type Command = (args?: readonly string[], terminal?: Terminal) => Promise<0 | 1>

/**
 * Makes a command, which runs where its module is the program. A `StackError` ends it with its
 * message alone. With `--secrets FILE` it finds in its environment what `npm run secrets` wrote
 * there.
 */
export function createCommand<const Options extends Usual>(
  module: ImportMeta | undefined,
  { usage, options, run }: Declared<Options>,
): Command {
  const command: Command = async (args = process.argv.slice(2), terminal = ownTerminal) => {
    try {
      const { values, given } = parse(args, options)
      if (values.help) {
        terminal.say(usage)
        return 0
      }
      const env = values.secrets ? withSecrets(terminal.env, values.secrets) : terminal.env
      const found = await run(values, given, { ...terminal, env })
      const lines = values.json && found ? [JSON.stringify(found.json)] : (found?.lines ?? [])
      for (const line of lines) terminal.say(line)
      return found?.isBad ? 1 : 0
    } catch (error) {
      const words = describe(error)
      terminal.complain(error instanceof Misused ? `${words}\n\n${usage}`.trim() : words)
      return 1
    }
  }
  // Once all of the module is there.
  if (module !== undefined && isProgram(module)) setImmediate(runProgram, command)
  return command
}

/** Tells whether this process runs a module as its program: the bootstrap imports it. */
export function isProgram({ main, filename }: ImportMeta): boolean {
  return main || process.argv[1] === filename
}

/** Runs a command as the program that this process is. */
export async function runProgram(command: Command): Promise<void> {
  // A reader that went away (`npm start | head`) is no fault.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  process.exitCode = 1
  process.exitCode = await command()
}

/** Reads the flags of a tool; --help prints the help and exits. */
export function readFlags<const Options extends Usual>(help: string, options: Options) {
  const { values } = parse(process.argv.slice(2), options)
  if (values.help) {
    say(help)
    process.exit()
  }
  return values
}

type CommonValues = { help?: boolean; json?: boolean; secrets?: string }

/** Adds what `npm run secrets` wrote to an environment. @throws {StackError} no such file */
function withSecrets(env: NodeJS.ProcessEnv, file: string): NodeJS.ProcessEnv {
  const written = z.record(z.string(), z.string()).safeParse(readJson(file)).data
  if (written === undefined) throw new StackError(`${file} is no file of npm run secrets.`)
  return { ...env, ...written }
}

function parse<Options extends Usual>(args: readonly string[], usual: Options) {
  const typeOf = (value: unknown) => (typeof value === 'boolean' ? 'boolean' : 'string')
  const options = Object.fromEntries(
    Object.entries({ ...usual, help: false, secrets: undefined }).map(([name, value]) => {
      return [name, { type: typeOf(value) } as const]
    }),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const all = { ...usual, ...values } as Values<Options> & CommonValues
    return { values: all, given: positionals }
  } catch {
    // The cause repeats the argument, which may be a number or a key.
    throw new Misused('There is an unknown option, or one without its value.')
  }
}

/** Reads the standard input's first line; on a terminal it asks, and may hide what is typed. */
export async function askLine(question: string, { isHidden = false } = {}): Promise<string> {
  const { stdin: input, stderr } = process
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = input.isTTY === true
  if (terminal) stderr.write(question)
  const lines = createInterface({ input, output: isHidden ? nowhere : stderr, terminal })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (terminal && isHidden) stderr.write('\n')
  }
}
