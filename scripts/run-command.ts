import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** How a command ended, and everything that it printed to both streams. */
export type Ran = { code: number | null; output: string; seconds: number }

/**
 * Runs a command in the repository's root to its end. Colours are kept where this process has a
 * terminal; `told` gets each piece as it comes. A command that cannot be started ends with null, and so does
 * one that the signal ends.
 */
export function runCommand(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  told: (text: string) => void = () => {},
  signal?: AbortSignal,
): Promise<Ran> {
  const began = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...environment,
    },
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
  return new Promise((resolve) => {
    const end = (code: number | null) => {
      signal?.removeEventListener('abort', kill)
      resolve({ code, output, seconds: (performance.now() - began) / 1000 })
    }
    child.once('error', ({ message }) => {
      output += `${message}\n`
      end(null)
    })
    child.once('close', end)
  })
}
