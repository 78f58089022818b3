import { createRedisDueQueue } from '../../../src/relay/ledger/stores/due-queue-redis.ts'
import { getKeyPrefix } from '../../../src/relay/ledger/stores/redis.ts'
import { deriveRelayerAccount } from '../../../src/relay/signer.ts'
import { openRedis } from '../../../src/runtime/redis.ts'
import { type DenoProcess, startDenoProcess } from '../deno/deno-process.ts'
import { freePort } from '../ports.ts'
import { startRedisBridge } from '../redis/bridge.ts'
import { type RedisServer, startRedisServer } from '../redis/redis-server.ts'
import { openRows, tearRows } from './ledger-rows-redis.ts'
import { assertNothingUncaught, type LogLine, parseLogLine } from './log-line.ts'
import { type Delivery, postDelivery } from './relay-workers.ts'

export type DenoRelays = Awaited<ReturnType<typeof startDenoRelays>>

type DenoRelaysOptions = {
  variables: Record<string, string>
  workers?: number
  /** Serves the pages of development too. */
  isDevelopment?: boolean
  /** The port of the first process. */
  port?: number
  /** The Redis to use; undefined for a new one without files. */
  redis?: RedisServer
  /** The seed that draws which calls of the database meet a fault. */
  seed?: number
  onLine?: (line: string) => void
}

/** Starts Redis, Upstash's protocol in front of it, and the processes. */
export async function startDenoRelays({
  variables,
  workers = 2,
  isDevelopment = false,
  port,
  redis,
  seed,
  onLine = () => {},
}: DenoRelaysOptions) {
  let server = redis ?? (await startRedisServer({ mode: 'cluster' }))
  let laterMs: number | undefined
  const bridge = await startRedisBridge({
    now: () => Date.now() + (laterMs ?? 0),
    redisPort: server.port,
    ...(seed === undefined ? {} : { seed }),
  })
  const log: LogLine[] = []
  const note = (printed: string) => {
    log.push(parseLogLine(printed))
    onLine(printed)
  }
  const environment = {
    ...variables,
    UPSTASH_REDIS_REST_URL: bridge.url,
    UPSTASH_REDIS_REST_TOKEN: bridge.token,
  }
  let own: Record<string, string> = {}
  const ports = await Promise.all(
    Array.from({ length: workers }, (_, index) => (index === 0 && port) || freePort()),
  )
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const processes = await openProcesses(ports, start)
  // As the entry point names the ledger of a `TestChain`.
  const name = '31'
  const { address } = deriveRelayerAccount(variables.RELAYER_MNEMONIC ?? '', 31, 0)
  const relayer = address.toLowerCase()
  const database = openRedis(bridge)
  const queue = createRedisDueQueue({ database, name, newToken: () => crypto.randomUUID() })

  return {
    bridge,
    /** Replaces the database by this server. */
    failOver(to: RedisServer) {
      server = to
      bridge.lead(to.port)
    },
    url: `${urls[0]}`,
    urls,
    /** The first process, which a test may end and start again. */
    pid: () => processes.list[0]?.pid ?? 0,
    deliver: (delivery: Delivery, worker = 0) => postDelivery(`${urls[worker]}`, delivery),
    wake: () => queue.arm(0),
    async restart(rows: 'kept' | 'lost', changes: Record<string, string> = {}) {
      own = changes
      await processes.killAll()
      if (rows === 'lost') await server.empty()
      await Promise.all(ports.map((_, index) => processes.revive(index)))
    },
    tear: () => tearRows(server, getKeyPrefix(name)),
    openRows: () => openRows(server, getKeyPrefix(name), relayer),
    log,
    kill: processes.kill,
    revive: processes.revive,
    /** Moves the clocks of the database, and of processes started from now on, ahead. */
    setLater(ms: number) {
      laterMs = ms
    },
    async stop() {
      await processes.killAll()
      await bridge.stop()
      if (redis === undefined) await server.stop()
      assertNothingUncaught(log.map(({ message }) => message))
    },
  }

  function start(port: number): Promise<DenoProcess> {
    return startDenoProcess({
      variables: { ...environment, ...own },
      port,
      onLine: note,
      laterMs,
      isDevelopment,
    })
  }
}

/** Starts a process for each port, which may be killed and started again. */
async function openProcesses(
  ports: readonly number[],
  start: (port: number) => Promise<DenoProcess>,
) {
  const list: (DenoProcess | undefined)[] = await Promise.all(ports.map(start))
  async function kill(index: number): Promise<void> {
    await list[index]?.kill()
    list[index] = undefined
  }
  return {
    list,
    kill,
    killAll: () => Promise.all(ports.map((_, index) => kill(index))),
    async revive(index: number): Promise<void> {
      const port = ports[index]
      if (port === undefined) throw new Error(`there is no process ${index}`)
      list[index] ??= await start(port)
    },
  }
}
