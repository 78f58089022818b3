import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { startFaultProxy } from '../dev/faults/fault-proxy.ts'
import { buildWorker } from '../stack/served/worker-build.ts'
import type { Figures } from './figures.ts'
import { countConfirmations, type Payer } from './payer.ts'
import { startBenchChain } from './served/chain.ts'
import { type ProductOptions, serveProduct } from './served/workerd.ts'

/** Holds what measurements need; what it starts is ended with it. */
export type World = Awaited<ReturnType<typeof makeWorld>>

type Ground = {
  figures: Figures
  isOverToken: boolean
  say: (line: string) => void
  /** Ends this at the end, whatever happens; what was started last ends first. */
  onEnd: (stop: () => unknown) => void
}

type RelayOptions = Pick<ProductOptions, 'how' | 'objects'> & {
  nodeUrl?: string
  variables?: Record<string, string>
}

const unknownMethod = { code: -32601, message: 'method not found' }

/** Starts the chain, and ends all that was started after the work. */
export async function runInWorld(
  given: Omit<Ground, 'onEnd'>,
  work: (world: World) => Promise<void>,
): Promise<void> {
  await using ends = new AsyncDisposableStack()
  const onEnd: Ground['onEnd'] = (stop) => ends.defer(async () => void (await stop()))
  const interrupted = Promise.withResolvers<never>()
  const interrupt = (signal: string) => interrupted.reject(new Error(`ended by ${signal}`))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  await Promise.race([interrupted.promise, makeWorld({ ...given, onEnd }).then(work)])
}

async function makeWorld({ figures, say, onEnd, isOverToken }: Ground) {
  const chain = await startBenchChain(onEnd, isOverToken)
  const build = await buildWorker()
  return {
    figures,
    chain,
    build,
    onEnd,
    /** Serves the relay by the relayer's key of this name, so that no two share nonces. */
    async serveRelay(name: string, { nodeUrl, variables, ...options }: RelayOptions = {}) {
      const confirmed = countConfirmations()
      const onLine = (line: string) => {
        confirmed.onLine(line)
        if (!line.includes('"level":"info"')) say(`  ${name}: ${line}`)
      }
      const own = { ...(await chain.makeVariables(name, nodeUrl)), ...variables }
      const served = await serveProduct(build, { ...options, variables: own, onLine })
      onEnd(served.stop)
      return { ...served, confirmed }
    },
    async serveAfternoon(name: string, nodeUrl = chain.url): Promise<Payer> {
      const confirmed = countConfirmations()
      const account = { LOAN_ADDRESS: chain.loan, ACCOUNT_KEY: await chain.makeAccount(name) }
      const DECIMALS = `${chain.unit.decimals}`
      const env = { NODE_URL: nodeUrl, ...account, DECIMALS, NODE_ENV: 'production' }
      const script = fileURLToPath(new URL('baselines/afternoon.ts', import.meta.url))
      const child = fork(script, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
      onEnd(() => child.kill())
      if (child.stdout === null) throw new Error('the baseline has no output')
      createInterface({ input: child.stdout }).on('line', confirmed.onLine)
      const [message] = await once(child, 'message')
      const { port } = z.object({ port: z.number() }).parse(message)
      return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, confirmed }
    },
    /** Stands before a node and counts what it is asked. */
    async serveProxy(target = chain.url) {
      const proxy = await startFaultProxy({ target })
      onEnd(proxy.stop)
      // viem asks it first; anvil answers it, and no node of Rootstock does.
      const change = ({ id }: { id?: unknown }) => ({ jsonrpc: '2.0', id, error: unknownMethod })
      proxy.script({ fault: { kind: 'changed', change }, methods: ['eth_fillTransaction'] })
      return proxy
    },
  }
}
