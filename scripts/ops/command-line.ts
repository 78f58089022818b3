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
