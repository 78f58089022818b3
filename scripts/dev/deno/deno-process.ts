import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../ports.ts'
import { until } from '../wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const binary = fileURLToPath(new URL('../../../node_modules/.bin/deno', import.meta.url))

/** The permissions of `deno task serve`. */
const permissions = readFileSync(`${root}/deno.json`, 'utf8').match(/--allow-\S+/g)
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

/** Time to wait for the entry point's orderly end. */
const stopWithinMs = 60_000

/** Starts a process on a loopback port, and resolves when it answers. */
export async function startDenoProcess({
  variables,
  port,
  onLine = () => {},
  how = 'serve',
  laterMs,
  isDevelopment = false,
}: DenoProcessOptions) {
  const ownPort = port ?? (await freePort())
  const url = `http://127.0.0.1:${ownPort}`
  const address = ['--host', '127.0.0.1', '--port', `${ownPort}`]
  const wrapper = how === 'with_cron' ? 'with-cron' : laterMs === undefined ? undefined : 'later'
  const entry =
    wrapper === undefined
      ? [`src/deno${isDevelopment ? '-development' : ''}.ts`]
      : ['--allow-read', `scripts/dev/deno/${wrapper}.ts`]
  const child = spawn(
    binary,
    how !== 'deploy' ? [...served, ...address, ...entry] : ['run', '--allow-all', ...entry],
    {
      cwd: root,
      // A group of its own, because a script may stand between this process and Deno.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DENO_DIR: process.env.DENO_DIR,
        NO_COLOR: '1',
        DENO_NO_UPDATE_CHECK: '1',
        ...(how === 'deploy'
          ? { DENO_AUTO_SERVE: '1', DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${ownPort}` }
          : {}),
        ...(laterMs === undefined ? {} : { LATER_MS: `${laterMs}` }),
        ...variables,
      },
    },
  )
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line)
      onLine(line)
    })
  }
  let code: number | null | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (exitCode) => {
      code = exitCode
      resolve()
    })
  })
  const send = (signal: NodeJS.Signals) => {
    if (code !== undefined || child.pid === undefined) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // The process has ended by itself.
    }
  }
  await until(() => {
    if (code !== undefined) throw new Error(`deno ended with ${code}:\n${said.join('\n')}`)
    return fetch(`${url}/healthz`)
      .then((response) => response.arrayBuffer())
      .then(
        () => true,
        () => false,
      )
  })
  return {
    pid: child.pid ?? 0,
    url,
    isRunning: () => code === undefined,
    signal: send,
    /** Kills the process at once, as a lost machine does. */
    async kill() {
      send('SIGKILL')
      await exited
    },
    /** Asks the process to end, and returns its exit code; null if it was killed. */
    async stop(withSignal: 'SIGINT' | 'SIGTERM' = 'SIGTERM'): Promise<number | null> {
      send(withSignal)
      const forced = setTimeout(() => send('SIGKILL'), stopWithinMs)
      await exited
      clearTimeout(forced)
      return code ?? null
    },
  }
}
