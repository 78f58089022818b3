import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What has to be in order before a test is worth running: scripts of package.json, quick ones first. */
const steps = [
  'format',
  'lint',
  'imports',
  'typecheck',
  'abi:check',
  'gas:check',
  'openrpc:check',
  'ledger:check',
]

export type Step = { name: string; passed: boolean }

/** Runs every step and shows what the failing ones say. */
export async function runChecks(): Promise<Step[]> {
  const results: Step[] = []
  for (const name of steps) {
    const started = performance.now()
    const { passed, output } = await runScript(name)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    if (!passed) process.stdout.write(`${output.trim()}\n`)
    process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
    results.push({ name, passed })
  }
  return results
}

function runScript(name: string): Promise<{ passed: boolean; output: string }> {
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ passed: false, output: message }))
    child.once('close', (code) => resolve({ passed: code === 0, output }))
  })
}

if (import.meta.main) {
  const failed = (await runChecks()).filter(({ passed }) => !passed)
  if (failed.length > 0) {
    process.stdout.write(`Not in order: ${failed.map(({ name }) => name).join(', ')}\n`)
    process.exitCode = 1
  }
}
