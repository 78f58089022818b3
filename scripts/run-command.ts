import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export type Ran = { code: number | null; output: string; seconds: number }

/** Runs a command in the repository's root; its code is null where it can't start or is aborted. */
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
