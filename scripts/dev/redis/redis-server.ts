import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { until } from '../wait.ts'
import { connectRedis, type RedisValue } from './connection.ts'

export type RedisServer = Awaited<ReturnType<typeof startRedisServer>>

/** Starts a server, and resolves when it answers. */
export async function startRedisServer({
  mode = 'alone',
  folder,
  replicaOf,
  port,
  detached = false,
}: {
  /** Selects a cluster of one node, which refuses scripts with keys of several slots. */
  mode?: 'cluster' | 'alone'
  /** The folder of the data; undefined without files. */
  folder?: string | undefined
  /** Follows the server on this port, as replicas do: asynchronously. */
  replicaOf?: number | undefined
  port?: number | undefined
  /** Starts a process group of its own, which a signal to ours does not reach. */
  detached?: boolean
} = {}) {
  const ownPort = port ?? (await freePort())
  const ownFolder = folder === undefined ? mkdtempSync(join(tmpdir(), 'redis-')) : undefined
  const child = spawn(
    'redis-server',
    [
      ...['--bind', '127.0.0.1', '--port', `${ownPort}`, '--dir', folder ?? ownFolder ?? '.'],
      ...['--save', '', '--appendonly', folder === undefined ? 'no' : 'yes'],
      ...['--appendfsync', 'always', '--loglevel', 'warning'],
      ...(mode === 'cluster' ? ['--cluster-enabled', 'yes'] : []),
      ...(replicaOf === undefined ? [] : ['--replicaof', '127.0.0.1', `${replicaOf}`]),
      ...['--repl-diskless-sync-delay', '0'],
    ],
    { stdio: ['ignore', 'ignore', detached ? 'ignore' : 'inherit'], detached },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const client = connectRedis(ownPort)
  const whileRunning = (condition: () => Promise<boolean>) =>
    until(
      () => {
        if (child.exitCode === null) return condition()
        client.close()
        throw new Error(`redis-server ended with ${child.exitCode}`)
      },
      { everyMs: 10 },
    )
  const says = async (expected: RegExp, ...command: string[]) => {
    const answer = await client.call(...command).catch((): RedisValue => '')
    return expected.test(String(answer))
  }
  await whileRunning(() => says(/^PONG$/, 'PING'))
  if (mode === 'cluster') {
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    await whileRunning(() => says(/cluster_state:ok/, 'CLUSTER', 'INFO'))
  }
  if (replicaOf !== undefined) {
    await whileRunning(() => says(/master_link_status:up/, 'INFO', 'replication'))
  }

  const end = (signal: NodeJS.Signals) => async () => {
    client.close()
    child.kill(signal)
    await exited
    if (ownFolder !== undefined) rmSync(ownFolder, { recursive: true, force: true })
  }
  return {
    pid: child.pid ?? 0,
    port: ownPort,
    call: client.call,
    async empty() {
      await client.call('FLUSHALL')
      await client.call('SCRIPT', 'FLUSH')
    },
    /** Kills the process at once, as a lost machine does. */
    kill: end('SIGKILL'),
    stop: end('SIGTERM'),
  }
}
