import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Command } from '../../scripts/stack/command.ts'

export type Ended = { code: number | null; output: string }

export type Process = { child: ChildProcess; output: () => string; ended: Promise<Ended> }

type ProcessOptions = {
  /** Defaults to this repository. */
  cwd?: string
  env?: Record<string, string | undefined>
  input?: string
  /** Tells whether it has its own process group, as from a terminal. */
  detached?: boolean
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export function startProcess(
  program: string,
  args: readonly string[],
  { cwd = root, env = {}, input = '', detached = false }: ProcessOptions = {},
): Process {
  const child = spawn(program, args, { cwd, detached, env: { ...process.env, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, output: text }))
  })
  return { child, output: () => text, ended }
}

export const runScript = (script: string, args: readonly string[], options?: ProcessOptions) =>
  startProcess(process.execPath, [script, ...args], options).ended

/** Runs a command to its end in this process, which is faster than starting one. */
export async function runHere(
  command: Command,
  args: readonly string[],
  { env = {}, input = '' }: Pick<ProcessOptions, 'env' | 'input'>,
): Promise<Ended> {
  const lines: string[] = []
  const note = (line: string) => void lines.push(`${line}\n`)
  const code = await command(args, { env, input: async () => input, say: note, complain: note })
  return { code, output: lines.join('') }
}
