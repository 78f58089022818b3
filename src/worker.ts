import { waitUntil } from 'cloudflare:workers'
import type { Hono } from 'hono/tiny'
import { AccountObject, type AccountStub, createObjectMemory } from './account/memory-object.ts'
import { misconfiguredApp } from './compose/app.ts'
import { type Assembly, assemble } from './compose/assemble.ts'
import { parseConfig } from './compose/config.ts'
import { getLedgerRules, ledgerName, relayerAddress } from './compose/relay.ts'
import type { Runtime } from './compose/runtime.ts'
import { KeysObject } from './keys/api-keys-object.ts'
import type { KeyStore } from './keys/key-store.ts'
import { createObjectSockets, feedObject } from './node/feed/sockets-object.ts'
import { createPlatformAnswers } from './node/shared-answers.ts'
import { consoleRoutes } from './pages/console/route.tsx'
import type { SetBack, SetBackAnswer } from './relay/ledger/port.ts'
import { createObjectLedger, type LedgerStub, ledgerObject } from './relay/ledger/stores/object.ts'
import { systemClock } from './runtime/clock.ts'
import { createConsoleLog } from './runtime/log.ts'

const log = createConsoleLog(systemClock.now)

const runtime: Runtime = {
  clock: systemClock,
  log,
  fetch: (input, init) => fetch(input, init),
  findPeer: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
  background: waitUntil,
}

type Served = Assembly & { wake: () => Promise<void> }

const servedBy = new WeakMap<Env, Served>()

/** @throws {ConfigError} naming every bad variable */
function assembleFrom(env: Env): Served {
  const known = servedBy.get(env)
  if (known !== undefined) return known
  const config = parseConfig(env as unknown as Record<string, unknown>)
  const { objectLocation: locationHint } = config
  // Heard when the object is made, by whatever makes it: the first check, call or cron.
  const where = locationHint === undefined ? undefined : { locationHint }
  const getStub = () => env.LEDGER.getByName(ledgerName(config), where) as unknown as LedgerStub
  const ledger = createObjectLedger(getStub)
  const memory = createObjectMemory(
    (account) => env.ACCOUNTS.getByName(account, where) as unknown as AccountStub,
  )
  const wake = () => getStub().wake()
  async function setBack(to: SetBack): Promise<SetBackAnswer> {
    const answer = await getStub().setBack(to)
    if (answer.kind === 'refused') return answer
    // It ends in the middle of this call.
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
    // Every API key is in one object; each isolate remembers those that are used.
    keyStore: () => env.KEYS.getByName('keys', where) as unknown as KeyStore,
    sockets: () => createObjectSockets(() => env.FEED),
    console: consoleRoutes,
  })
  const served = { ...assembly, wake }
  servedBy.set(env, served)
  return served
}

/** Serves, or says nothing but that the configuration is bad. */
function getApp(env: Env): Hono {
  try {
    return assembleFrom(env).app()
  } catch (error) {
    return misconfiguredApp(error, log)
  }
}

export class LedgerObject extends ledgerObject<Env>((env) => {
  const { config, runRound, acceptor } = assembleFrom(env)
  const { roundMs } = config.rules
  const rules = getLedgerRules(config)
  return { rules, relayer: relayerAddress(config), roundMs, runRound, acceptor, log }
}) {}

export class FeedObject extends feedObject<Env>((env, chainId) =>
  assembleFrom(env).getFeedDeps(chainId),
) {}

export { AccountObject, KeysObject }

export default {
  fetch: (request, env, context) => getApp(env).fetch(request, env, context),
  // A lost alarm delays a payment by a minute at most.
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
