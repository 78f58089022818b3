import { parseArgs } from 'node:util'
import { say } from './report.ts'

/** What flags are where they are not given: a boolean is a switch, all else takes a text. */
type Defaults = Readonly<Record<string, string | boolean | undefined>>

type Given<Usual extends Defaults> = {
  [Name in keyof Usual]: Usual[Name] extends boolean
    ? boolean
    : Usual[Name] extends string
      ? string
      : string | undefined
}

/** The flags that a tool was started with, and what follows them. With --help it says its help, and ends. */
export function readFlags<Usual extends Defaults>(
  help: string,
  usual: Usual,
): Given<Usual> & { rest: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries({ ...usual, help: false }).map(([name, value]) => [
      name,
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help === true) {
    say(help)
    process.exit()
  }
  return { ...usual, ...values, rest: positionals } as Given<Usual> & { rest: readonly string[] }
}
