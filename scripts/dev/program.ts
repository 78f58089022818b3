import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { tryTo } from '../../src/runtime/log.ts'
import { until } from './wait.ts'

type ProgramOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'stdio' | 'detached'> & {
  /** Gets each line of its piped output. */
  onLine?: ((line: string) => void) | undefined
  /** Time that it is given to end by itself. */
  graceMs?: number
}

/** Starts a program; a detached one has a group of its own, all of which gets the signals. */
export function startProgram(
  [command = '', ...args]: readonly string[],
  { onLine = () => {}, graceMs = 60_000, detached = false, ...options }: ProgramOptions,
) {
  const child = spawn(command, args, { ...options, detached })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line)
      onLine(line)
    })
  }
  const exited = once(child, 'exit')
  const isRunning = () => child.exitCode === null && child.signalCode === null
  function signal(name: NodeJS.Signals): void {
    if (!isRunning() || child.pid === undefined) return
    // It may have ended by itself.
    const pid = detached ? -child.pid : child.pid
    tryTo(() => process.kill(pid, name))
  }

  return {
    pid: child.pid ?? 0,
    exited,
    isRunning,
    /** Says how it ended: by a signal, or with a code. */
    describeEnd: () => child.signalCode ?? `code ${child.exitCode}`,
    signal,
    /** Waits until a condition holds. @throws {Error} it has ended before */
    until: (condition: () => Promise<boolean>) =>
      until(() => {
        if (isRunning()) return condition()
        throw new Error(`${command} ended with ${child.exitCode}:\n${said.join('\n')}`)
      }),
    /** Kills it at once, as a lost machine does. */
    async kill(): Promise<void> {
      signal('SIGKILL')
      await exited
    },
    endBy,
    stop: async () => void (await endBy('SIGTERM')),
  }

  /** Asks it to end, and returns its exit code; null if it was killed. */
  async function endBy(name: 'SIGINT' | 'SIGTERM'): Promise<number | null> {
    signal(name)
    const forced = setTimeout(() => signal('SIGKILL'), graceMs)
    await exited
    clearTimeout(forced)
    return child.exitCode
  }
}

/** Tells whether a program answers yet: what is asked of it fails before. */
export const answers = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  )
