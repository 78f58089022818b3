import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { foundryTool } from '../../../scripts/contracts/forge.ts'

/** Runs forge or cast and resolves to what it printed on stdout; throws where it fails. */
export async function runFoundry(
  tool: 'forge' | 'cast',
  args: readonly string[],
  { folder, environment = {} }: { folder?: string; environment?: Record<string, string> } = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(foundryTool(tool), args, {
    ...(folder === undefined ? {} : { cwd: folder }),
    env: { ...process.env, ...environment },
  })
  return stdout.trim()
}

/** Is a cast that runs until it is stopped. */
type FollowingCast = { output: () => string; stop: () => Promise<void> }

/** Starts a cast that prints what happens. */
export function followCast(
  args: readonly string[],
  environment: Record<string, string>,
): FollowingCast {
  const child = spawn(foundryTool('cast'), args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return {
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
