import { waitUntil } from 'cloudflare:workers'
import type { Hono } from 'hono/tiny'
import { AccountObject, type AccountStub, createObjectMemory } from './account/memory-object.ts'
import { createMisconfiguredApp } from './compose/app.ts'
import { type Assembly, assemble } from './compose/assemble.ts'
import { parseConfig } from './compose/config.ts'
import { type LedgerSteps, ledgerParts } from './compose/ledger.ts'
import { deriveRelayerAddress, getLedgerName, getLedgerRules } from './compose/relay.ts'
import type { Runtime } from './compose/runtime.ts'
import type { KeyStore } from './keys/api-keys.ts'
import { KeysObject } from './keys/api-keys-object.ts'
import { createPlatformAnswers } from './node/cache.ts'
import { createFeedObject, createObjectSockets } from './node/feed/sockets-object.ts'
import { consoleRoutes } from './pages/console/route.tsx'
import type { SetBack, SetBackAnswer } from './relay/ledger/steps.ts'
import {
  createLedgerObject,
  createObjectLedger,
  type LedgerStub,
} from './relay/ledger/stores/object.ts'
import { systemClock } from './runtime/clock.ts'
import { createConsoleLog } from './runtime/log.ts'

const log = createConsoleLog(systemClock.now)

const runtime: Runtime = {
  clock: systemClock,
  log,
  fetch: (input, init) => fetch(input, init),
  findPeer: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
  waitUntil,
}

type Served = Assembly & { wake: () => Promise<void> }

const assemblies = new WeakMap<Env, Served>()

/** Assembles the relay once per environment. @throws {ConfigError} naming every bad variable */
function assembleFrom(env: Env): Served {
  const existing = assemblies.get(env)
  if (existing !== undefined) return existing
  const config = parseConfig(env as unknown as Record<string, unknown>)
  const { objectLocation: locationHint } = config
  // The platform reads the location once, when the first request creates the object.
  const placement = locationHint === undefined ? undefined : { locationHint }
  const getStub = () =>
    env.LEDGER.getByName(getLedgerName(config), placement) as unknown as LedgerStub<LedgerSteps>
  const ledger = createObjectLedger(ledgerParts.steps, getStub)
  const memory = createObjectMemory(
    (account) => env.ACCOUNTS.getByName(account, placement) as unknown as AccountStub,
  )
  const wake = () => getStub().wake()
  async function setBack(target: SetBack): Promise<SetBackAnswer> {
    const answer = await getStub().setBack(target)
    if (answer.kind === 'refused') return answer
    // This call always fails, because the object ends during it.
    await getStub()
      .restart()
      .catch(() => undefined)
    await wake()
    return answer
  }
  const assembly = assemble(config, runtime, {
    ledger,
    store: 'the Durable Object',
    accept: (offer) => getStub().accept(offer),
    wake,
    setBack,
    memory: () => memory,
    answers: createPlatformAnswers(() => caches.default),
    // One object stores all API keys; each isolate caches the keys in use.
    keyStore: () => env.KEYS.getByName('keys', placement) as unknown as KeyStore,
    sockets: () => createObjectSockets(() => env.FEED),
    console: consoleRoutes,
  })
  const served = { ...assembly, wake }
  assemblies.set(env, served)
  return served
}

/** Returns the app, or one that only reports a faulty configuration. */
function getApp(env: Env): Hono {
  try {
    return assembleFrom(env).app()
  } catch (error) {
    return createMisconfiguredApp(error, log)
  }
}

export class LedgerObject extends createLedgerObject(ledgerParts, (env: Env) => {
  const { config, runRound, createAcceptor } = assembleFrom(env)
  const { roundMs } = config.rules
  const rules = getLedgerRules(config)
  return { rules, relayer: deriveRelayerAddress(config), roundMs, runRound, createAcceptor, log }
}) {}

export class FeedObject extends createFeedObject<Env>((env, chainId) =>
  assembleFrom(env).getFeedDeps(chainId),
) {}

export { AccountObject, KeysObject }

export default {
  fetch: (request, env, context) => getApp(env).fetch(request, env, context),
  // The cron comes each minute, so that a lost alarm delays work by no more than that.
  async scheduled(_controller, env) {
    const { wake, checkLedger } = assembleFrom(env)
    try {
      await wake()
      await checkLedger('done')
    } catch (error) {
      await checkLedger('failed')
      throw error
    }
  },
} satisfies ExportedHandler<Env>
