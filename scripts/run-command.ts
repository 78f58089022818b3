import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { root } from './stack/folder.ts'

/** Runs a command in the repository's root; its code is null where it can't start or is aborted. */
export async function runCommand(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  told: (text: string) => void = () => {},
  signal?: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill()
  signal?.addEventListener('abort', kill)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      told(text)
    })
  }
  const [code] = await once(child, 'close').catch(({ message }: Error) => {
    output += `${message}\n`
    return [null]
  })
  signal?.removeEventListener('abort', kill)
  return { code, output }
}

/** Has each process of a command end after so much CPU, since wall time tells of a busy machine. */
export const limitCpu = (seconds: number, command: readonly string[]): string[] => [
  ...['sh', '-c', `ulimit -S -t ${seconds}; exec "$@"`, 'sh'],
  ...command,
]

/** Describes a command of a longer run, and which line summarizes its output. */
export type Step = {
  name: string
  command: readonly string[]
  environment?: Readonly<Record<string, string>>
  /** Finds the output's line with the figures; the last one by default. */
  figures?: RegExp
}

/** Runs a step and says in a line how it went; `show` gets its output at once, else if it fails. */
export async function runStep({ name, command, environment, figures }: Step, show?: typeof write) {
  const began = performance.now()
  const { code, output } = await runCommand(command, environment, show)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  const text = stripVTControlCharacters(output).trimEnd()
  const said = figures?.exec(text)?.[0] ?? text.split('\n').at(-1) ?? ''
  const isOk = code === 0
  const line = `${isOk ? 'ok    ' : 'FAILED'} ${name} (${seconds} s): ${said}`
  write(`${isOk || show ? '' : output}${line}\n`)
  return { name, isOk, line, output: text }
}

function write(text: string): void {
  process.stdout.write(text)
}
