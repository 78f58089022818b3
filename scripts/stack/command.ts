import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { z } from 'zod'
import { readJson } from './files.ts'
import { describe, Misused, StackError, say } from './report.ts'

/** Declares options as Node's own parser takes them. */
export type Options = NonNullable<ParseArgsConfig['options']>

export type Values<Of extends Options> = ReturnType<typeof parseArgs<{ options: Of }>>['values']

export const text = { type: 'string' } as const
export const textOr = (usual: string) => ({ type: 'string', default: usual }) as const
export const flag = { type: 'boolean', default: false } as const

/** Holds a command's result: JSON for programs, lines for people. `isBad` exits with 1. */
export type Found = { json?: unknown; lines: readonly string[]; isBad?: boolean }

/** Gives a command its surroundings, so that tests start it without a process. */
export type Terminal = typeof ownTerminal

const ownTerminal = {
  env: process.env,
  input: () => readAll(process.stdin),
  say,
  complain: (line: string): void => void process.stderr.write(`${line}\n`),
}

/** Declares a command; it returns nothing if it has printed everything. */
type Declared<Of extends Options> = {
  usage: string
  options: Of
  /** Names the one key of these two that it reads: the other one is not in its environment. */
  ownKey?: 'OPERATOR_TOKEN' | 'CREDITOR_KEY'
  run: (
    values: Values<Of>,
    given: readonly string[],
    terminal: Terminal,
  ) => Promise<Found | undefined>
}

export type Command = (args?: readonly string[], terminal?: Terminal) => Promise<0 | 1>

/**
 * Makes a command. A `StackError` ends it with its message alone. With `--secrets FILE` it finds in
 * its environment what `npm run ops -- secrets` wrote there.
 */
export function createCommand<Of extends Options>({
  usage,
  options,
  ownKey = 'OPERATOR_TOKEN',
  run,
}: Declared<Of>): Command {
  return async (args = process.argv.slice(2), terminal = ownTerminal) => {
    try {
      const { values, given } = parse(args, options)
      if (values.help) {
        terminal.say(usage)
        return 0
      }
      const { OPERATOR_TOKEN, CREDITOR_KEY, ...env } = withSecrets(terminal.env, values.secrets)
      const own = { OPERATOR_TOKEN, CREDITOR_KEY }[ownKey]
      if (own !== undefined) env[ownKey] = own
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
}

/** Makes a command of verbs, which are commands of their own; `other` runs without one of them. */
export function chooseCommand(
  verbs: Readonly<Record<string, () => Promise<Command>>>,
  other: Command,
): Command {
  return async (args = process.argv.slice(2), terminal) => {
    const [name = '', ...rest] = args
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    return verb === undefined ? other(args, terminal) : (await verb())(rest, terminal)
  }
}

/** Runs a command if its module is this process's program, which the bootstrap may import. */
export function runAsProgram({ main, filename }: ImportMeta, command: Command): void {
  // Once all of the module is there.
  if (main || process.argv[1] === filename) setImmediate(runProgram, command)
}

async function runProgram(command: Command): Promise<void> {
  // A reader that went away (`npm start | head`) is no fault.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  process.exitCode = 1
  const complain = () => ownTerminal.complain('The command ended before it was done.')
  // It comes where the command waits for something that nothing is left to bring.
  process.once('beforeExit', complain)
  process.exitCode = await command()
  process.off('beforeExit', complain)
}

type CommonValues = { help?: boolean; json?: boolean; secrets?: string }

/** Adds what a file of secrets holds to an environment. @throws {StackError} no such file */
function withSecrets(env: NodeJS.ProcessEnv, file: string | undefined): NodeJS.ProcessEnv {
  if (!file) return env
  const written = z.record(z.string(), z.string()).safeParse(readJson(file)).data
  if (written === undefined) throw new StackError(`${file} is no file of npm run ops -- secrets.`)
  return { ...env, ...written }
}

function parse<Of extends Options>(args: readonly string[], own: Of) {
  const options = { ...own, help: flag, secrets: text }
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: parsed.values as Values<Of> & CommonValues, given: parsed.positionals }
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
