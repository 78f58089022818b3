import { waitUntil } from 'cloudflare:workers'
import type { Hono } from 'hono'
import { createApp } from './app.ts'
import {
  assembleAnswer,
  assembleNodeService,
  assembleRelayer,
  ledgerName,
  type Runtime,
} from './assemble.ts'
import { systemClock } from './clock.ts'
import { type Config, parseConfig } from './config.ts'
import { createJsonLog } from './log.ts'
import { createConfigKeys } from './node/keys-config.ts'
import { nodeRoutes } from './node/route.ts'
import type { Ledger } from './relay/ledger.ts'
import { createObjectLedger, type LedgerStub, ledgerObject } from './relay/ledger-object.ts'
import { ledgerRules } from './relay/ledger-sql.ts'
import { tend } from './relay/tend.ts'
import { closedRoutes, ussdRoutes } from './ussd/route.ts'

const log = createJsonLog(systemClock.now, (line) => {
  // biome-ignore lint/suspicious/noConsole: the console is a Worker's log
  console.log(line)
})

const runtime: Runtime = {
  clock: systemClock,
  log,
  fetch: (input, init) => fetch(input, init),
  background: waitUntil,
}

/** The environment of an isolate never changes: it is parsed and assembled at the first request. */
let config: Config | undefined
let app: Hono | undefined

function configOf(env: Env): Config {
  config ??= parseConfig(env as unknown as Record<string, unknown>)
  return config
}

function stubOf(env: Env): LedgerStub {
  return env.LEDGER.getByName(ledgerName(configOf(env))) as unknown as LedgerStub
}

function appOf(env: Env): Hono {
  if (app !== undefined) return app
  const config = configOf(env)
  const nodeService = assembleNodeService(config, runtime)
  const ledger = createObjectLedger(() => stubOf(env))
  const relayer = assembleRelayer(config, runtime, nodeService, ledger)
  const isOpen = config.isDevelopment || config.callbackSecret !== undefined
  app = createApp({
    ussd: isOpen
      ? ussdRoutes({ answer: assembleAnswer(config, runtime, relayer), background: waitUntil })
      : closedRoutes(),
    callbackSecret: config.callbackSecret,
    node: nodeRoutes({
      keys: createConfigKeys({ hashes: config.rpcKeyHashes, chainId: config.chain.id }),
      services: new Map([[config.chain.id, nodeService]]),
      background: waitUntil,
      log,
    }),
    log,
  })
  return app
}

/** One relayer's ledger: see `src/relay/ledger-object.ts`. */
export class LedgerObject extends ledgerObject<Env>((env) => {
  const config = configOf(env)
  const nodeService = assembleNodeService(config, runtime)
  return {
    rules: {
      ...ledgerRules,
      maxInFlight: config.rules.maxInFlight,
      watchBlocks: config.rules.watchBlocks,
    },
    tendMs: config.rules.tendMs,
    tend: (ledger: Ledger) => tend(assembleRelayer(config, runtime, nodeService, ledger)),
    log,
  }
}) {}

export default {
  fetch: (request, env, context) => appOf(env).fetch(request, env, context),
  // A lost alarm delays a payment by a minute at most.
  scheduled: async (_controller, env) => stubOf(env).wake(),
} satisfies ExportedHandler<Env>
