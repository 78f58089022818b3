import { Hono } from 'hono/tiny'
import {
  type LoopbackServer,
  startLoopbackServer,
  textOf,
} from '../../scripts/dev/loopback-server.ts'
import { openSqlite } from '../../scripts/dev/sqlite.ts'
import type { MemoryStore } from '../../src/account/memory.ts'
import { type Assembly, assemble } from '../../src/compose/assemble.ts'
import { parseConfig } from '../../src/compose/config.ts'
import { ledgerParts } from '../../src/compose/ledger.ts'
import { deriveRelayerAddress, getLedgerRules } from '../../src/compose/relay.ts'
import type { Stores } from '../../src/compose/runtime.ts'
import type { KeyStore } from '../../src/keys/api-keys.ts'
import type { WholeLedger } from '../../src/operator/kept/steps.ts'
import type { LedgerRules } from '../../src/relay/ledger/draft.ts'
import { createLedgerPort } from '../../src/relay/ledger/port.ts'
import type { RoundResult } from '../../src/relay/ledger/schedule.ts'
import { createSqlLedger, type Sql } from '../../src/relay/ledger/stores/sqlite.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { LogEvent } from '../../src/runtime/log.ts'
import { createMemoryStore } from './memory-store.ts'

/** Is a deployment in this process with its own database and a Worker's parts. */
export type Deployment = Omit<Assembly, 'tend'> & {
  ledger: WholeLedger
  round: () => Promise<RoundResult>
  ask: (path: string, init?: RequestInit) => Promise<{ status: number; body: unknown }>
  /** Sets the clocks of process and ledger ahead. */
  pass: (ms: number) => void
  settled: () => Promise<void>
  events: LogEvent[]
  asked: string[]
}

export type LedgerOptions = { rules: LedgerRules; relayer: string; now: () => number }

export type DeploymentOptions = {
  variables: Record<string, string>
  /** SQLite's file. Undefined: in memory. */
  database?: string
  /** Stores accounts' memory; undefined for a fresh one. */
  /** Uses the time of the deployment. */
  memory?: (now: () => number) => MemoryStore
  ledger?: (options: LedgerOptions) => WholeLedger
  fetch?: typeof globalThis.fetch
  /** Sets how far the process's clock is ahead. */
  time?: { ahead: number }
  console?: NonNullable<Stores['console']>
}

export function openDeployment({
  variables,
  database,
  ledger: openLedger = (options) => openSqlLedger(openSqlite(database), options),
  fetch = globalThis.fetch,
  memory: openMemory = createMemoryStore,
  time = { ahead: 0 },
  console = () => new Hono(),
}: DeploymentOptions): Deployment {
  const config = parseConfig(variables)
  const events: LogEvent[] = []
  const asked: string[] = []
  const running = new Set<Promise<unknown>>()
  const now = () => Date.now() + time.ahead
  const ledger = openLedger({
    ...{ rules: getLedgerRules(config), relayer: deriveRelayerAddress(config), now },
  })
  const keyStore = createCountingStore(now)
  const memory = openMemory(now)
  const assembly = assemble(
    config,
    {
      clock: { ...systemClock, now },
      log: (event) => void events.push(event),
      fetch: async (input, init) => {
        asked.push(...methodsIn(init?.body))
        return await fetch(input, init)
      },
      waitUntil: (work) => {
        const kept = work.catch(() => undefined).finally(() => running.delete(kept))
        running.add(kept)
      },
    },
    {
      ledger,
      store: 'the Durable Object',
      memory: () => memory,
      keyStore: () => keyStore,
      answers: { find: async () => undefined, store: async () => {} },
      sockets: () => ({ accept: noSockets }),
      console,
    },
  )
  return {
    ...{ ...assembly, ledger, events, asked },
    round: () => assembly.runRound(ledger),
    async ask(path, init) {
      const response = await assembly.app().request(path, init)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') === true
      return { status: response.status, body: isJson ? JSON.parse(text) : text }
    },
    pass: (ms) => {
      time.ahead += ms
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** Opens the ledger on SQLite behind its asynchronous port. */
export function openSqlLedger(sql: Sql, options: LedgerOptions): WholeLedger {
  const ledger = createSqlLedger(sql, { ...ledgerParts, ...options })
  return createLedgerPort(ledgerParts.steps, async (method, args) =>
    (ledger[method] as (...args: unknown[]) => unknown)(...args),
  )
}

const dayMs = 24 * 60 * 60 * 1000

/** Counts the calls of a day, and has no keys. */
function createCountingStore(now: () => number): KeyStore {
  let day = { relay: 0, callers: 0, resetAt: 0 }
  const count = async ({ relay, callers }: { relay: number; callers: number }) => {
    if (now() >= day.resetAt) {
      day = { relay: 0, callers: 0, resetAt: (Math.floor(now() / dayMs) + 1) * dayMs }
    }
    day = { ...day, relay: day.relay + relay, callers: day.callers + callers }
    return day
  }
  return { find: async () => null, list: async () => [], count } as unknown as KeyStore
}

const noSockets = () => {
  throw new Error('no socket is asked for')
}

function methodsIn(body: unknown): string[] {
  // A message to a phone is a form.
  const isJson = typeof body === 'string' && /^[[{]/.test(body)
  const sent = JSON.parse(isJson ? body : '[]') as { method: string }[]
  return [sent].flat().map(({ method }) => method)
}

/**
 * A deployment over HTTP. So many of its first answers are lost on their way, but for its version.
 */
export function serveApp({ ask }: Pick<Deployment, 'ask'>, lost = 0): Promise<LoopbackServer> {
  let answers = 0
  return startLoopbackServer(async (request, response) => {
    const body = await textOf(request)
    const { authorization = '', 'content-type': type = '' } = request.headers
    const headers = { authorization, 'content-type': type }
    const init = { method: request.method ?? '', headers, ...(body === '' ? {} : { body }) }
    const answer = await ask(request.url ?? '', init)
    if (request.url !== '/livez') answers += 1
    if (answers <= lost) return void response.destroy()
    response.writeHead(answer.status)
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
}
