import type { Hono } from 'hono/tiny'
import { createRedisMemory } from './account/memory-redis.ts'
import { createMisconfiguredApp } from './compose/app.ts'
import { assemble } from './compose/assemble.ts'
import { type DenoConfig, parseDenoConfig } from './compose/deno-environment.ts'
import { ledgerParts } from './compose/ledger.ts'
import { deriveRelayerAddress, getLedgerName, getLedgerRules } from './compose/relay.ts'
import type { Runtime } from './compose/runtime.ts'
import { createRedisKeys } from './keys/api-keys-redis.ts'
import { createRedisAnswers } from './node/cache.ts'
import { createMemorySockets } from './node/feed/sockets-memory.ts'
import { consoleRoutes } from './pages/console/route.tsx'
import { createRedisDueQueue } from './relay/ledger/stores/due-queue-redis.ts'
import { createRedisLedger } from './relay/ledger/stores/redis.ts'
import { createRounds, type Rounds, startCron } from './relay/rounds/scheduler.ts'
import { createBackground } from './runtime/background.ts'
import { systemClock } from './runtime/clock.ts'
import { createConsoleLog } from './runtime/log.ts'
import { createEvictionReader, openRedis } from './runtime/redis.ts'

/** Limits the work after the signal, because Deno Deploy kills a process 5 s after it. */
const drainTimeoutMs = 4_500

/** Sets the wait for the last bytes, because a response counts as sent before they leave. */
const flushMs = 100

const log = createConsoleLog(systemClock.now)

const background = createBackground(systemClock, log)

const ending = new AbortController()
let isCronRefused = false

const runtime: Runtime = {
  clock: systemClock,
  log,
  fetch: (input, init) => fetch(input, init),
  findPeer: (_, info) => (info as Info).remoteAddr.hostname,
  waitUntil: background.run,
}

type Info = { completed: Promise<void>; remoteAddr: { hostname: string } }

type Served = { app: Hono; rounds?: Rounds }

function serve({ config, redis }: DenoConfig): Required<Served> {
  const database = openRedis(redis)
  const { roundMs } = config.rules
  const name = getLedgerName(config)
  const rules = { ...getLedgerRules(config), canLoseTail: true }
  const relayer = deriveRelayerAddress(config)
  const onUrgentRound = () => rounds.checkSoon()
  const steadyMs = () => performance.now()
  const options = { database, name, rules, relayer, roundMs, onUrgentRound, steadyMs }
  const ledger = createRedisLedger({ ...ledgerParts, ...options })
  const keyStore = createRedisKeys(database)
  const memory = createRedisMemory(database)
  const { app, runRound, checkLedger } = assemble(config, runtime, {
    ledger,
    store: 'Redis',
    readEviction: createEvictionReader(database),
    isCronRefused: () => isCronRefused,
    keyStore: () => keyStore,
    memory: () => memory,
    answers: createRedisAnswers(database),
    console: consoleRoutes,
    sockets: (getFeedDeps) =>
      createMemorySockets({
        getDeps: getFeedDeps,
        upgrade: (request) => Deno.upgradeWebSocket(request),
        shutdownSignal: ending.signal,
      }),
  })
  const queue = createRedisDueQueue({ database, name, newToken: () => crypto.randomUUID() })
  const rounds = createRounds({
    queue,
    runRound: () => runRound(ledger),
    onRoundEnd: (outcome) => background.run(checkLedger(outcome)),
    roundMs,
    clock: systemClock,
    log,
  })
  return { app: app(), rounds }
}

/** Serves the relay, or only its faults if the environment is not valid. */
function assembleFrom(env: Record<string, string>): Served {
  try {
    return serve(parseDenoConfig(env))
  } catch (error) {
    return { app: createMisconfiguredApp(error, log) }
  }
}

const { app, rounds } = assembleFrom(Deno.env.toObject())

// On Deno Deploy no process may be running when work is due: the cron starts one.
const { cron } = Deno
if (cron !== undefined) {
  void startCron((run) => cron('tend', '* * * * *', run), rounds, log).then((isRunning) => {
    isCronRefused = !isRunning
  })
}

if (rounds !== undefined) background.run(rounds.watch(ending.signal))

/** Finishes the running work within the limit; another process takes over the rest. */
async function shutDown(): Promise<void> {
  if (ending.signal.aborted) return
  ending.abort()
  await background.drain(drainTimeoutMs)
  await systemClock.sleep(flushMs)
  Deno.exit(0)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  Deno.addSignalListener(signal, () => shutDown())

export default {
  fetch(request, info) {
    const { completed } = info
    const answer = Promise.resolve(app.fetch(request, info))
    background.run(answer)
    // `completed` waits until the response is sent; a client may hang up before.
    background.run(completed.catch(() => undefined))
    return answer
  },
} satisfies Deno.ServeDefaultExport
