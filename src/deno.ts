import type { Hono } from 'hono'
import { createApp, misconfiguredApp } from './app.ts'
import {
  assembleAnswer,
  assembleNodeService,
  assembleNodeServices,
  assembleRelayer,
  ledgerName,
  type Runtime,
  relayerAddress,
} from './assemble.ts'
import { createBackground } from './background.ts'
import { systemClock } from './clock.ts'
import { ConfigError } from './config.ts'
import { type DenoConfig, parseDenoConfig } from './deno-environment.ts'
import { createJsonLog } from './log.ts'
import { feedLimits } from './node/feed-sessions.ts'
import { createConfigKeys } from './node/keys-config.ts'
import { createRedisKeys } from './node/keys-redis.ts'
import { keyRoutes, nodeRoutes } from './node/route.ts'
import { createMemorySockets, type MemorySockets } from './node/sockets-memory.ts'
import { createStoredKeys } from './node/stored-keys.ts'
import { openRedis } from './redis.ts'
import { createRedisDueQueue } from './relay/due-queue-redis.ts'
import { ledgerRules } from './relay/ledger/port.ts'
import { createRedisLedger } from './relay/ledger/redis.ts'
import { createRounds, type Rounds } from './relay/rounds.ts'
import { tend } from './relay/tend.ts'
import { closedRoutes, ussdRoutes } from './ussd/route.ts'

/** Deno Deploy kills 5 s after it has told a process to end. */
const DRAIN_WITHIN_MS = 4_500

/** A response counts as sent before its bytes have left the process. */
const FLUSH_MS = 100

const log = createJsonLog(systemClock.now, (line) => {
  // biome-ignore lint/suspicious/noConsole: the console is a process's log
  console.log(line)
})

const background = createBackground(systemClock, log)

const runtime: Runtime = {
  clock: systemClock,
  log,
  fetch: (input, init) => fetch(input, init),
  background: background.keep,
}

/** What an environment comes to. Without a good one there is nothing to look after. */
type Served = { app: Hono; rounds?: Rounds; sockets?: MemorySockets }

function assemble({ config, redis }: DenoConfig): Required<Served> {
  const database = openRedis(redis)
  const name = ledgerName(config)
  const nodeService = assembleNodeService(config, runtime)
  const services = assembleNodeServices(config, runtime, nodeService)
  const { tendMs, maxInFlight, watchBlocks } = config.rules
  const rules = { ...ledgerRules, maxInFlight, watchBlocks }
  const ledger = createRedisLedger({
    ...{ database, name, rules, tendMs },
    relayer: relayerAddress(config),
  })
  const relayer = assembleRelayer(config, runtime, nodeService, ledger)
  const store = createRedisKeys(database)
  const configured = createConfigKeys({ hashes: config.rpcKeyHashes, chainId: config.chain.id })
  const keys = createStoredKeys({ store: () => store, configured, clock: systemClock })
  const sockets = createMemorySockets({
    keeperOf(chainId) {
      const service = services.get(chainId)
      if (service === undefined) throw new Error(`chain ${chainId} is not served here`)
      const urls = config.networks.get(chainId === 30 ? 30 : 31) ?? []
      return { service, urls, keys, limits: feedLimits, clock: systemClock, log }
    },
    upgrade: (request) => Deno.upgradeWebSocket(request),
  })
  const isOpen = config.isDevelopment || config.callbackSecret !== undefined
  const app = createApp({
    ussd: isOpen
      ? ussdRoutes({
          answer: assembleAnswer(config, runtime, relayer),
          background: background.keep,
        })
      : closedRoutes(),
    callbackSecret: config.callbackSecret,
    node: nodeRoutes({
      keys,
      services,
      sockets,
      clock: systemClock,
      background: background.keep,
      log,
    }),
    keys: keyRoutes({
      registry: store,
      operatorToken: config.operatorToken,
      chainIds: [...config.networks.keys()],
      now: systemClock.now,
    }),
    log,
  })
  const queue = createRedisDueQueue({ database, name, newToken: () => crypto.randomUUID() })
  const rounds = createRounds({
    queue,
    tend: () => tend(relayer),
    tendMs,
    clock: systemClock,
    log,
  })
  return { app, rounds, sockets }
}

/** The app, or one that says nothing but that the configuration is bad. */
function assembleFrom(env: Record<string, string>): Served {
  try {
    return assemble(parseDenoConfig(env))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log({ level: 'error', event: 'config.bad', message: error.message })
    return { app: misconfiguredApp(error.faults) }
  }
}

const { app, rounds, sockets } = assembleFrom(Deno.env.toObject())
const ending = new AbortController()

// On Deno Deploy a process may be gone by the time that something is due: this starts one.
Deno.cron?.('tend', '* * * * *', async () => {
  await rounds?.wake()
  await rounds?.work()
})

if (rounds !== undefined) background.keep(rounds.watch(ending.signal))

/** Lets what is under way come to its end; what does not is taken over by another instance. */
async function end(): Promise<void> {
  if (ending.signal.aborted) return
  ending.abort()
  sockets?.close()
  await background.drain(DRAIN_WITHIN_MS)
  await systemClock.sleep(FLUSH_MS)
  Deno.exit(0)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) Deno.addSignalListener(signal, () => end())

export default {
  fetch(request, { completed }) {
    const answer = Promise.resolve(app.fetch(request))
    background.keep(answer)
    // Made is not sent. A client that hung up is no failure of ours.
    background.keep(completed.catch(() => undefined))
    return answer
  },
} satisfies Deno.ServeDefaultExport
