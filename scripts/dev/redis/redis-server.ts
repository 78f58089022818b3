import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { startProgram } from '../program.ts'
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
  const program = startProgram(
    [
      'redis-server',
      ...['--bind', '127.0.0.1', '--port', `${ownPort}`, '--dir', folder ?? ownFolder ?? '.'],
      ...['--save', '', '--appendonly', folder === undefined ? 'no' : 'yes'],
      ...['--appendfsync', 'always', '--loglevel', 'warning'],
      ...(mode === 'cluster' ? ['--cluster-enabled', 'yes'] : []),
      ...(replicaOf === undefined ? [] : ['--replicaof', '127.0.0.1', `${replicaOf}`]),
      ...['--repl-diskless-sync-delay', '0'],
    ],
    { stdio: ['ignore', 'ignore', detached ? 'ignore' : 'inherit'], detached },
  )
  const client = connectRedis(ownPort)
  const says = async (expected: RegExp, ...command: string[]) => {
    const answer = await client.call(...command).catch((): RedisValue => '')
    return expected.test(String(answer))
  }
  await program.until(() => says(/^PONG$/, 'PING'))
  if (mode === 'cluster') {
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    await program.until(() => says(/cluster_state:ok/, 'CLUSTER', 'INFO'))
  }
  if (replicaOf !== undefined) {
    await program.until(() => says(/master_link_status:up/, 'INFO', 'replication'))
  }

  const end = (endProgram: () => Promise<unknown>) => async () => {
    client.close()
    await endProgram()
    if (ownFolder !== undefined) rmSync(ownFolder, { recursive: true, force: true })
  }
  return {
    pid: program.pid,
    port: ownPort,
    call: client.call,
    async empty() {
      await client.call('FLUSHALL')
      await client.call('SCRIPT', 'FLUSH')
    },
    kill: end(program.kill),
    stop: end(program.stop),
  }
}
