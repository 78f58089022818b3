import {
  askLine,
  type Command,
  createCommand,
  type Found,
  type Terminal,
  type Usual,
  type Values,
} from '../stack/command.ts'
import { Misused } from '../stack/report.ts'
import { type OperatorClient, openOperator } from './operator-client.ts'

export type Operated = OperatorClient & { terminal: Terminal }

type Run<Options extends Usual> = (
  operator: Operated,
  values: Values<Options & typeof commonOptions>,
  given: readonly string[],
) => Promise<Found | undefined>

/** Describes an action of a command, and how many arguments it takes: none by default. */
type Action<Options extends Usual> =
  | Run<Options>
  | { takes: readonly number[]; run: Run<Options> }
  | { takes: readonly number[]; open: Open<Options> }

/** Is an action that needs no operator's token. */
type Open<Options extends Usual> = (
  values: Values<Options & typeof commonOptions>,
  given: readonly string[],
) => Promise<Found>

export const commonOptions = { url: undefined, json: false } as const

/** Declares a command's actions by name; `usual` runs without a name. */
type Declared<Options extends Usual> = {
  usage: string
  options: Options
  actions: Readonly<Record<string, Action<Options>>>
  usual?: string
}

/** Makes a command of the operator's. */
export function operatorCommand<const Options extends Usual>({
  usage,
  options,
  actions,
  usual = '',
}: Declared<Options>): Command {
  return createCommand({
    usage,
    options: { ...options, ...commonOptions },
    async run(values, [what = usual, ...given], terminal) {
      const action = actions[what]
      const known = typeof action === 'object' ? action : action && { takes: [0], run: action }
      // What is too much may be a number: it is not shown again.
      if (!known?.takes.includes(given.length)) throw new Misused()
      const set = values as Values<Options & typeof commonOptions>
      if ('open' in known) return known.open(set, given)
      const { url } = values as Values<typeof commonOptions>
      return known.run({ ...openOperator(url, terminal.env), terminal }, set, given)
    },
  })
}

/** Reads a number from a prompt or a pipe: an argument would stay in the shell's history. */
export async function readNumber({ input }: Terminal): Promise<string> {
  return (await (process.stdin.isTTY ? askLine('The number: ') : input())).trim()
}
