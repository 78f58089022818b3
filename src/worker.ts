import { waitUntil } from 'cloudflare:workers'
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
import { systemClock, withEndingLimits } from './clock.ts'
import { type Config, ConfigError, parseConfig } from './config.ts'
import { createJsonLog } from './log.ts'

import { createObjectSockets, type FeedNamespace, feedObject } from './node/feed-object.ts'
import { feedLimits } from './node/feed-sessions.ts'
import type { Keys } from './node/keys.ts'
import { createConfigKeys } from './node/keys-config.ts'
import { createObjectRegistry, KeysObject, type KeysStub } from './node/keys-object.ts'
import { keyRoutes, nodeRoutes } from './node/route.ts'
import { createNodeService, type NodeService } from './node/service.ts'
import { createStoredKeys } from './node/stored-keys.ts'
import { createObjectLedger, type LedgerStub, ledgerObject } from './relay/ledger/object.ts'
import type { Ledger } from './relay/ledger/port.ts'
import { ledgerRules } from './relay/ledger/port.ts'
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

/** What an environment comes to. It is worked out at the first request and kept for the isolate's life. */
type Assembled = {
  config: Config
  nodeService: NodeService
  app: () => Hono
  ledger: () => LedgerStub
  /** Every API key is in one object; each isolate remembers those that are used. */
  registry: () => KeysStub
  keys: Keys
  feeds: () => FeedNamespace
}

const assembled = new WeakMap<Env, Assembled>()

/** @throws {ConfigError} naming every bad variable */
function assemble(env: Env): Assembled {
  const known = assembled.get(env)
  if (known !== undefined) return known
  const config = parseConfig(env as unknown as Record<string, unknown>)
  const nodeService = assembleNodeService(config, runtime)
  const ledger = () => env.LEDGER.getByName(ledgerName(config)) as unknown as LedgerStub
  const registry = () => env.KEYS.getByName('keys') as unknown as KeysStub
  const configured = createConfigKeys({ hashes: config.rpcKeyHashes, chainId: config.chain.id })
  let app: Hono | undefined
  const parts: Assembled = {
    config,
    nodeService,
    ledger,
    registry,
    keys: createStoredKeys({ store: registry, configured, clock: systemClock }),
    feeds: () => env.FEED,
    app: () => {
      app ??= assembleApp(parts)
      return app
    },
  }
  assembled.set(env, parts)
  return parts
}

function assembleApp(parts: Assembled): Hono {
  const { config, nodeService, ledger } = parts
  const relayer = assembleRelayer(config, runtime, nodeService, createObjectLedger(ledger))
  const isOpen = config.isDevelopment || config.callbackSecret !== undefined
  return createApp({
    ussd: isOpen
      ? ussdRoutes({ answer: assembleAnswer(config, runtime, relayer), background: waitUntil })
      : closedRoutes(),
    callbackSecret: config.callbackSecret,
    node: nodeRoutes({
      keys: parts.keys,
      services: assembleNodeServices(config, runtime, nodeService),
      sockets: createObjectSockets(parts.feeds),
      clock: systemClock,
      background: waitUntil,
      log,
    }),
    keys: keyRoutes({
      registry: createObjectRegistry(parts.registry),
      operatorToken: config.operatorToken,
      chainIds: [...config.networks.keys()],
      now: systemClock.now,
    }),
    log,
  })
}

/** The app, or one that says nothing but that the configuration is bad. */
function appOf(env: Env): Hono {
  try {
    return assemble(env).app()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log({ level: 'error', event: 'config.bad', message: error.message })
    return misconfiguredApp(error.faults)
  }
}

/** One relayer's ledger: see `src/relay/ledger/object.ts`. */
export class LedgerObject extends ledgerObject<Env>((env) => {
  const { config, nodeService } = assemble(env)
  return {
    rules: {
      ...ledgerRules,
      maxInFlight: config.rules.maxInFlight,
      watchBlocks: config.rules.watchBlocks,
    },
    relayer: relayerAddress(config),
    tendMs: config.rules.tendMs,
    tend: (ledger: Ledger) =>
      withEndingLimits(systemClock, (clock) =>
        tend(assembleRelayer(config, { ...runtime, clock }, nodeService, ledger)),
      ),
    log,
  }
}) {}

/** The subscribers of one network: see `src/node/feed-object.ts`. */
export class FeedObject extends feedObject<Env>((env, chainId) => {
  const { config, keys } = assemble(env)
  const urls = config.networks.get(chainId === 30 ? 30 : 31) ?? []
  return {
    service: createNodeService({ chainId, urls, ...runtime }),
    urls,
    keys,
    limits: feedLimits,
    clock: systemClock,
    log,
  }
}) {}

/** The API keys: see `src/node/keys-object.ts`. */
export { KeysObject }

export default {
  fetch: (request, env, context) => appOf(env).fetch(request, env, context),
  // A lost alarm delays a payment by a minute at most.
  scheduled: async (_controller, env) => assemble(env).ledger().wake(),
} satisfies ExportedHandler<Env>
