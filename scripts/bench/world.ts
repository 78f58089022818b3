import { buildWorker, type WorkerBuild } from '../stack/served/worker-build.ts'
import type { Figures } from './figures.ts'
import { type Load, startLoad } from './load.ts'
import { countConfirmations, type Payer } from './payer.ts'
import { serveAfternoon } from './served/afternoon.ts'
import { type BenchChain, type RelayName, startBenchChain } from './served/chain.ts'
import { serveProduct, type Workerd, type WorkerdOptions } from './served/workerd.ts'

/** What every measurement stands on. Whatever is started through it is ended with it. */
export type World = {
  /** Whether the long figures are measured too. */
  isFull: boolean
  figures: Figures
  chain: BenchChain
  load: Load
  /** The product as it is deployed. */
  build: WorkerBuild
  /** The relay in workerd, one for each of these names; its lines that are no information are shown. */
  serveRelay: (relay: RelayName, options?: RelayOptions) => Promise<Payer & Workerd>
  /** With a key of its own: another one for each node. */
  serveAfternoon: (fees: 'asked' | 'fixed', nodeUrl?: string) => Promise<Payer>
  /** Ends this at the end, whatever happens; what was started last ends first. */
  atEnd: (stop: () => unknown) => void
}

type RelayOptions = Pick<WorkerdOptions, 'how'> & {
  nodeUrl?: string
  variables?: Record<string, string>
}

const accountNames = ['asked', 'fixed', 'asked through a proxy', 'fixed through a proxy']

/** Starts the chain, the load generator and the proxy, and ends all that was started after the work. */
export async function inWorld(
  options: Pick<World, 'isFull' | 'figures'> & { say: (line: string) => void },
  work: (world: World) => Promise<void>,
): Promise<void> {
  const stops: (() => unknown)[] = []
  const atEnd: World['atEnd'] = (stop) => void stops.unshift(stop)
  const interrupted = Promise.withResolvers<never>()
  const interrupt = (signal: string) => interrupted.reject(new Error(`ended by ${signal}`))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  const relays = new Map<RelayName, Promise<Payer & Workerd>>()
  const afternoons = new Map<string, Promise<Payer>>()
  try {
    await Promise.race([interrupted.promise, workInWorld()])
  } finally {
    for (const stop of stops) {
      // What cannot be ended must not keep the others.
      await (async () => stop())().catch((error) => options.say(`  not ended: ${error}`))
    }
  }

  async function workInWorld(): Promise<void> {
    const chain = await startBenchChain(accountNames, atEnd)
    const load = startLoad()
    atEnd(load.stop)
    const build = await buildWorker()
    const served = { serveRelay, serveAfternoon: afternoon }
    await work({ ...options, chain, load, build, ...served, atEnd })

    function serveRelay(relay: RelayName, options: RelayOptions = {}): Promise<Payer & Workerd> {
      // Two ledgers with one relayer's key would take each other's nonces.
      const served = relays.get(relay) ?? startRelay(relay, options)
      relays.set(relay, served)
      return served
    }

    async function startRelay(
      relay: RelayName,
      { nodeUrl, variables, how = 'plain' }: RelayOptions,
    ): Promise<Payer & Workerd> {
      const confirmed = countConfirmations()
      const served = await serveProduct({
        build,
        how,
        variables: { ...chain.variables(relay, nodeUrl), ...variables },
        onLine(line) {
          confirmed.onLine(line)
          if (!line.includes('"level":"info"')) options.say(`  ${relay}: ${line}`)
        },
      })
      atEnd(served.stop)
      return { ...served, confirmed }
    }

    function afternoon(fees: 'asked' | 'fixed', nodeUrl = chain.url): Promise<Payer> {
      const name = `${fees}${nodeUrl === chain.url ? '' : ' through a proxy'}`
      const served = afternoons.get(name) ?? startAfternoon(name, fees, nodeUrl)
      afternoons.set(name, served)
      return served
    }

    async function startAfternoon(
      name: string,
      fees: 'asked' | 'fixed',
      nodeUrl: string,
    ): Promise<Payer> {
      const confirmed = countConfirmations()
      const served = await serveAfternoon(
        {
          NODE_URL: nodeUrl,
          LOAN_ADDRESS: chain.loan,
          ACCOUNT_KEY: chain.accountKey(name),
          FEES: fees,
        },
        confirmed.onLine,
      )
      atEnd(served.stop)
      return { ...served, confirmed }
    }
  }
}
