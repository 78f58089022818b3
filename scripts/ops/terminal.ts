import { text } from 'node:stream/consumers'

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
