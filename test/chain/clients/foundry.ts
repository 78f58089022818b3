import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { foundryTool } from '../../../scripts/dev/foundry-binary.ts'
import { startProcess } from '../../support/processes.ts'

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

/** Starts a cast that prints what happens until it is stopped. */
export function followCast(args: readonly string[], env: Record<string, string>) {
  const { child, output, ended } = startProcess(foundryTool('cast'), args, { env })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { output, stop }
}
