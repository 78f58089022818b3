import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../stack/folder.ts'
import { freePort } from '../ports.ts'
import { answers, startProgram } from '../program.ts'

const binary = join(root, 'node_modules/.bin/deno')

/** The permissions of `deno task serve`. */
const permissions = readFileSync(join(root, 'deno.json'), 'utf8').match(/--allow-\S+/g)
if (permissions === null) throw new Error('deno.json serves without permissions')
const served = ['serve', ...permissions]

export type DenoProcess = Awaited<ReturnType<typeof startDenoProcess>>

type DenoProcessOptions = {
  variables: Record<string, string>
  port?: number
  onLine?: (line: string) => void
  /** Runs by `deno serve` without flags, as on Deno Deploy, or in a runtime with `Deno.cron`. */
  how?: 'serve' | 'deploy' | 'with_cron'
  laterMs?: number | undefined
  /** Serves the pages of development too. */
  isDevelopment?: boolean
}

/** Starts a process on a loopback port, and resolves when it answers. */
export async function startDenoProcess({
  variables,
  port,
  onLine,
  how = 'serve',
  laterMs,
  isDevelopment = false,
}: DenoProcessOptions) {
  const ownPort = port ?? (await freePort())
  const url = `http://127.0.0.1:${ownPort}`
  const address = ['--host', '127.0.0.1', '--port', `${ownPort}`]
  const entry =
    how === 'with_cron' || laterMs !== undefined
      ? ['--allow-read', 'scripts/dev/deno/changed.ts']
      : [isDevelopment ? 'scripts/stack/served/deno-development.ts' : 'src/deno.ts']
  const program = startProgram(
    [binary, ...(how !== 'deploy' ? [...served, ...address] : ['run', '--allow-all']), ...entry],
    {
      cwd: root,
      // A group of its own, because a script may stand between this process and Deno.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      onLine,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DENO_DIR: process.env.DENO_DIR,
        NO_COLOR: '1',
        DENO_NO_UPDATE_CHECK: '1',
        ...(how === 'deploy'
          ? { DENO_AUTO_SERVE: '1', DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${ownPort}` }
          : {}),
        HAS_CRON: how === 'with_cron' ? '1' : '0',
        LATER_MS: `${laterMs ?? 0}`,
        ...variables,
      },
    },
  )
  await program.until(() => answers(fetch(`${url}/healthz`).then((each) => each.arrayBuffer())))
  return { ...program, url }
}
