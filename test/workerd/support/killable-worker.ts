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

type KillableOptions = {
  death?: Death
  /** Resolves when it may offer its payment. */
  meet?: () => Promise<void>
}

/** Makes a Worker of the relay's parts, whose every question may be its last. */
export function createKillableWorker({ death, meet = async () => {} }: KillableOptions) {
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

  async function question<Answer>(name: string, ask: () => Promise<Answer>) {
    await alive(undefined)
    const index = asked.push(name) - 1
    const isLast = death?.at === index || (death?.at === name && asked.indexOf(name) === index)
    if (isLast && death.when === 'before') await die(death.whose)
    await alive(undefined)
    try {
      return await ask()
    } finally {
      if (isLast && death.when === 'after') await die(death.whose)
      await alive(undefined)
    }
  }

  const ask: typeof globalThis.fetch = (input, init) => {
    const calls: { method: string }[] = [JSON.parse(String(init?.body))].flat()
    const name = calls.map(({ method }) => method).join(' and ')
    return question(name, () => fetch(input, init))
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
