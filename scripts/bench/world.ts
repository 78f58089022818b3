import { buildWorker, type WorkerBuild } from '../stack/served/worker-build.ts'
import type { Figures } from './figures.ts'
import { type Load, startLoad } from './load.ts'
import { countConfirmations, type Payer } from './payer.ts'
import { startAfternoon } from './served/afternoon.ts'
import { type BenchChain, startBenchChain } from './served/chain.ts'
import { serveProduct, type Workerd } from './served/workerd.ts'

/** What every measurement stands on. Whatever is started through it is ended with it. */
export type World = {
  figures: Figures
  chain: BenchChain
  load: Load
  /** The product as it is deployed. */
  build: WorkerBuild
  /** Serves the relay in workerd with a relayer's key of this name, once for each name. */
  serveRelay: (name: string, options?: RelayOptions) => Promise<Payer & Workerd>
  /** Serves the afternoon's server with an account of this name, once for each name. */
  serveAfternoon: (name: string, fees: Fees, nodeUrl?: string) => Promise<Payer>
  /** Ends this at the end, whatever happens; what was started last ends first. */
  atEnd: (stop: () => unknown) => void
}

export type Fees = 'asked' | 'fixed'

type RelayOptions = {
  how?: 'plain' | 'counting' | 'inspected'
  nodeUrl?: string
  variables?: Record<string, string>
}

/** Starts the chain and the load generator, and ends all that was started after the work. */
export async function inWorld(
  { figures, say }: { figures: Figures; say: (line: string) => void },
  work: (world: World) => Promise<void>,
): Promise<void> {
  const stops: (() => unknown)[] = []
  const atEnd: World['atEnd'] = (stop) => void stops.unshift(stop)
  const interrupted = Promise.withResolvers<never>()
  const interrupt = (signal: string) => interrupted.reject(new Error(`ended by ${signal}`))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  try {
    await Promise.race([interrupted.promise, makeWorld().then(work)])
  } finally {
    for (const stop of stops) {
      // What cannot be ended must not keep the others.
      await (async () => stop())().catch((error) => say(`  not ended: ${error}`))
    }
  }

  async function makeWorld(): Promise<World> {
    const chain = await startBenchChain(atEnd)
    const load = startLoad()
    atEnd(load.stop)
    const build = await buildWorker()
    // Two ledgers with one relayer's key would take each other's nonces.
    const relays = new Map<string, Promise<Payer & Workerd>>()
    const afternoons = new Map<string, Promise<Payer>>()
    return {
      ...{ figures, chain, load, build, atEnd },
      serveRelay: (name, options = {}) => keepFirst(relays, name, () => startRelay(name, options)),
      serveAfternoon: (name, fees, nodeUrl = chain.url) =>
        keepFirst(afternoons, name, () => startServer(name, fees, nodeUrl)),
    }

    async function startRelay(
      name: string,
      { nodeUrl, variables, how = 'plain' }: RelayOptions,
    ): Promise<Payer & Workerd> {
      const confirmed = countConfirmations()
      const onLine = (line: string) => {
        confirmed.onLine(line)
        if (!line.includes('"level":"info"')) say(`  ${name}: ${line}`)
      }
      const own = { ...(await chain.makeVariables(name, nodeUrl)), ...variables }
      const served = await serveProduct(build, { how, variables: own, onLine })
      atEnd(served.stop)
      return { ...served, confirmed }
    }

    async function startServer(name: string, fees: Fees, nodeUrl: string): Promise<Payer> {
      const confirmed = countConfirmations()
      const account = await chain.makeAccount(name)
      const environment = { NODE_URL: nodeUrl, LOAN_ADDRESS: chain.loan, FEES: fees }
      const served = await startAfternoon(
        { ...environment, ACCOUNT_KEY: account },
        confirmed.onLine,
      )
      atEnd(served.stop)
      return { ...served, confirmed }
    }
  }
}

function keepFirst<Kept>(kept: Map<string, Kept>, name: string, make: () => Kept): Kept {
  const one = kept.get(name) ?? make()
  kept.set(name, one)
  return one
}
