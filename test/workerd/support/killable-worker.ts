import { abortAllDurableObjects } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { PhoneNumber } from '../../../src/account/phone.ts'
import { type Config, parseConfig } from '../../../src/compose/config.ts'
import { type LedgerSteps, ledgerParts } from '../../../src/compose/ledger.ts'
import { assembleRelayer, getLedgerName } from '../../../src/compose/relay.ts'
import type { Runtime } from '../../../src/compose/runtime.ts'
import { assembleUssdHandler } from '../../../src/compose/ussd.ts'
import { createNodeService } from '../../../src/node/service.ts'
import type { WholeLedger } from '../../../src/operator/kept/steps.ts'
import type { AcceptPayment } from '../../../src/relay/ledger/acceptance.ts'
import { createLedgerPort } from '../../../src/relay/ledger/port.ts'
import type { LedgerStub } from '../../../src/relay/ledger/stores/object.ts'
import { runRound } from '../../../src/relay/rounds/round.ts'
import { systemClock } from '../../../src/runtime/clock.ts'
import { africasTalking } from '../../../src/ussd/gateways/presets.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

export type Death = {
  /** Its place, counted from 0 in the order in which they are asked; or the first of its name. */
  at: number | string
  when: 'before' | 'after'
  /** The Worker goes on no more; or the ledger's object dies and the Worker goes on. */
  whose: 'worker' | 'object'
}

export const lineFaults = [
  ...(['request lost', 'answer lost', 'answer late', 'connection refused'] as const),
  ...(['status 429', 'status 500', 'a page of HTML', 'half an answer'] as const),
  'a replica behind',
] as const

type LineFault = (typeof lineFaults)[number]

type KillableOptions = {
  death?: Death
  /** Strikes the questions of the node that this picks, by their place and method. */
  fault?: { kind: LineFault; strikes: (index: number, method: string) => boolean }
  /** Resolves when it may offer its payment. */
  meet?: () => Promise<void>
}

const lateMs = 150

/** Makes a Worker of the relay's parts, whose every question may be its last. */
export function createKillableWorker({ death, fault, meet = async () => {} }: KillableOptions) {
  const config = sharedConfig()
  const asked: string[] = []
  const background: Promise<unknown>[] = []
  const end = Promise.withResolvers<undefined>()
  let isDead = false

  /** Resolves with the answer, and never in a dead Worker. */
  const alive = <Answer>(answer: Answer): Promise<Answer> =>
    isDead ? new Promise(() => {}) : Promise.resolve(answer)

  async function die(whose: Death['whose']): Promise<void> {
    if (whose === 'object') return await abortAllDurableObjects()
    isDead = true
    end.resolve(undefined)
  }

  async function question<Answer>(name: string, ask: (index: number) => Promise<Answer>) {
    await alive(undefined)
    const index = asked.push(name) - 1
    const isLast = death?.at === index || (death?.at === name && asked.indexOf(name) === index)
    if (isLast && death.when === 'before') await die(death.whose)
    await alive(undefined)
    try {
      return await ask(index)
    } finally {
      if (isLast && death.when === 'after') await die(death.whose)
      await alive(undefined)
    }
  }

  const ask: typeof globalThis.fetch = (input, init) => {
    const body = JSON.parse(String(init?.body)) as Call | Call[]
    const methods = [body].flat().map(({ method }) => method)
    const name = methods.join(' and ')
    return question(name, async (index) => {
      const send = () => fetch(input, init)
      return fault?.strikes(index, name) ? await struck(fault.kind, body, send) : await send()
    })
  }

  const runtime: Runtime = {
    clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms, signal).then(alive) },
    log: () => {},
    fetch: ask,
    waitUntil: (work) => background.push(work),
  }
  const ledger: WholeLedger = createLedgerPort(ledgerParts.steps, (method, args) =>
    question(`ledger.${method}`, () =>
      (ledgerStub()[method] as (...args: unknown[]) => Promise<unknown>)(...args),
    ),
  )
  const { id: chainId } = config.chain
  const nodes = { chainId, urls: config.networks.get(chainId) ?? [], ...runtime }
  const relayer = assembleRelayer(config, runtime, createNodeService(nodes), ledger)
  const accept: AcceptPayment = (offer) =>
    question('ledger.accept', () => meet().then(() => ledgerStub().accept(offer)))
  const stores = { memory: createMemoryStore, accept }
  const answer = assembleUssdHandler({ config, runtime, relayer, stores })

  return {
    asked: asked as readonly string[],
    /** Makes one delivery; undefined if the Worker died before its answer. */
    deliver({ phone, ...request }: { phone: string; sessionId: string; text: string }) {
      const of = { gateway: 'africas-talking', phone: phone as PhoneNumber }
      const answering = answer({ ...of, ...request })
      const shown = answering.then(({ screen }) => africasTalking.render(screen))
      return Promise.race([shown, end.promise])
    },
    async tend() {
      await Promise.race([runRound(relayer), end.promise])
    },
    /** Waits for the work after the answer; resolves at once if the Worker is dead. */
    async rest() {
      await Promise.race([Promise.allSettled(background), end.promise])
    },
  }
}

/** The object that keeps the rows of all Workers here. */
export function ledgerStub(): LedgerStub<LedgerSteps> & DurableObjectStub {
  return env.LEDGER.getByName(getLedgerName(sharedConfig())) as unknown as LedgerStub<LedgerSteps> &
    DurableObjectStub
}

let parsed: Config | undefined

/** Returns one configuration for all, because derived values are cached with it. */
function sharedConfig(): Config {
  parsed ??= parseConfig(env as unknown as Record<string, unknown>)
  return parsed
}

type Call = { id: unknown; method: string }

type CallAnswer = { id: unknown; result?: unknown }

async function struck(kind: LineFault, body: Call | Call[], send: () => Promise<Response>) {
  switch (kind) {
    case 'request lost':
      throw new TypeError('the connection was lost')
    case 'answer lost':
      await (await send()).arrayBuffer()
      throw new TypeError('the connection was lost')
    case 'answer late':
      await systemClock.sleep(lateMs)
      return await send()
    case 'connection refused':
      return await fetch('http://127.0.0.1:1')
    case 'status 429':
      return new Response('slow down', { status: 429 })
    case 'status 500':
      await (await send()).arrayBuffer()
      return new Response('oops', { status: 500 })
    case 'a page of HTML':
      return new Response('<html>Please log in</html>', {
        headers: { 'content-type': 'text/html' },
      })
    case 'half an answer': {
      const text = await (await send()).text()
      return new Response(text.slice(0, text.length / 2))
    }
    case 'a replica behind':
      return await behind(body, send)
  }
}

/** Answers as a node that is one block behind: a lower count, and no receipt. */
async function behind(body: Call | Call[], send: () => Promise<Response>): Promise<Response> {
  const methods = new Map([body].flat().map(({ id, method }) => [id, method]))
  const late = (answer: CallAnswer): CallAnswer => {
    switch (methods.get(answer.id)) {
      case 'eth_getTransactionCount':
        return { ...answer, result: `0x${Math.max(0, Number(answer.result) - 1).toString(16)}` }
      case 'eth_getTransactionReceipt':
        return { ...answer, result: null }
      default:
        return answer
    }
  }
  const answer = (await (await send()).json()) as CallAnswer | CallAnswer[]
  return Response.json(Array.isArray(answer) ? answer.map(late) : late(answer))
}
