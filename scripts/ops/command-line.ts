import {
  askLine,
  type Command,
  createCommand,
  type Found,
  flag,
  type Options,
  type Terminal,
  text,
  type Values,
} from '../stack/command.ts'
import { Misused } from '../stack/report.ts'
import { type OperatorClient, openOperator } from './operator-client.ts'

export type Operated = OperatorClient & { terminal: Terminal }

type Run<Of extends Options> = (
  operator: Operated,
  values: Values<Of & typeof commonOptions>,
  given: readonly string[],
) => Promise<Found | undefined>

/** Describes an action of a command, and how many arguments it takes: none by default. */
type Action<Of extends Options> = Run<Of> | { takes: readonly number[]; run: Run<Of> }

export const commonOptions = { url: text, json: flag }

/** Declares a command's actions by name; `usual` runs without a name. */
type Declared<Of extends Options> = {
  usage: string
  options: Of
  actions: Readonly<Record<string, Action<Of>>>
  usual?: string
}

/** Makes a command of the operator's. */
export function operatorCommand<Of extends Options>({
  usage,
  options,
  actions,
  usual = '',
}: Declared<Of>): Command {
  return createCommand({
    usage,
    options: { ...options, ...commonOptions },
    async run(values, [what = usual, ...given], terminal) {
      const action = actions[what]
      const known = typeof action === 'object' ? action : action && { takes: [0], run: action }
      // What is too much may be a number: it is not shown again.
      if (!known?.takes.includes(given.length)) throw new Misused()
      const { url } = values as Values<typeof commonOptions>
      return known.run({ ...openOperator(url, terminal.env), terminal }, values, given)
    },
  })
}

/** Reads as many lines as there are prompts; undefined for one that a pipe lacks. */
export async function readLines({ input }: Terminal, ...prompts: string[]) {
  if (!process.stdin.isTTY) return (await input()).split('\n').map((line) => line.trim())
  const lines: string[] = []
  for (const prompt of prompts) lines.push((await askLine(prompt)).trim())
  return lines
}

/** Reads a number from a prompt or a pipe: an argument would stay in the shell's history. */
export async function readNumber({ input }: Terminal): Promise<string> {
  return (await (process.stdin.isTTY ? askLine('The number: ') : input())).trim()
}
