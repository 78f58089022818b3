import type { Deployment } from '../../contracts/deploy.ts'
import { until } from '../../dev/wait.ts'
import type { ChainNode } from '../chain/node.ts'
import { children, isRunning, type ProcessId } from '../process-id.ts'
import type { Processes } from '../processes.ts'
import { describe, StackError } from '../report.ts'
import { hashRpcKey, type Secrets } from '../secrets.ts'
import { servedWorker, type WorkerBuild } from './worker-build.ts'

/** What a local Worker needs to know. `overrides` come from the environment and go before. */
export function workerVariables({
  secrets,
  node,
  nodeUrls,
  deployment,
  overrides,
}: {
  secrets: Secrets
  node: ChainNode
  nodeUrls: string[]
  deployment: Deployment
  overrides: Record<string, string>
}): Record<string, string> {
  return {
    ENVIRONMENT: 'development',
    CHAIN_ID: `${node.chain.id}`,
    POOL_RULES: node.isAnvil ? 'anvil' : 'rootstock',
    NODE_URL: nodeUrls.join(','),
    LOAN_ADDRESS: deployment.loan,
    FORWARDER_ADDRESS: deployment.forwarder,
    RELAYER_MNEMONIC: secrets.RELAYER_MNEMONIC,
    ACCOUNT_ID_SECRET: secrets.ACCOUNT_ID_SECRET,
    ACCOUNT_KEY_SECRET: secrets.ACCOUNT_KEY_SECRET,
    ...(secrets.PIN_SECRET && { PIN_SECRET: secrets.PIN_SECRET }),
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    RPC_KEY_HASHES: hashRpcKey(secrets.RPC_KEY),
    PREFLIGHT: 'on',
    ...overrides,
  }
}

export type RunningWorker = {
  url: string
  wake: () => Promise<void>
  isRunning: () => boolean
  stop: () => Promise<void>
}

/** What either runtime is served with; `onLine` gets each line that it writes. */
export type Serving = {
  port: number
  variables: Record<string, string>
  processes: Processes
  onLine: (line: string) => void
}

/** Serves the Worker with what wrangler.toml binds to it, on the loopback address. */
export async function runWorker({
  build,
  objects,
  port,
  variables,
  processes,
  onLine,
}: Serving & {
  build: WorkerBuild
  objects: string
}): Promise<RunningWorker> {
  // It brings Miniflare, which is as large as all else that a start loads: one that is refused needs none.
  const { startWorkerd } = await import('../../dev/workerd.ts')
  const known = new Set(children().map(({ pid }) => pid))
  const miniflare = startWorkerd({
    objects,
    port,
    onLine,
    workers: [servedWorker(build, variables)],
  })
  const recording = recordRuntime(known, processes)
  let url: URL
  try {
    url = await miniflare.ready
  } finally {
    recording.stop()
  }
  const fetcher = await miniflare.getWorker()
  return {
    url: url.origin,
    wake: async () => {
      await fetcher.scheduled({ cron: build.cron })
    },
    isRunning: recording.isRunning,
    stop: () => miniflare.dispose(),
  }
}

/** Notes workerd as soon as it is there: it outlives a killed parent and keeps its port. */
function recordRuntime(known: ReadonlySet<number>, processes: Processes) {
  const recorded: ProcessId[] = []
  const look = () => {
    for (const child of children()) {
      if (known.has(child.pid) || recorded.some(({ pid }) => pid === child.pid)) continue
      recorded.push(child)
      processes.add(child.pid, 'workerd')
    }
  }
  const timer = setInterval(look, 10)
  return {
    stop: () => {
      clearInterval(timer)
      look()
    },
    isRunning: () => recorded.some(isRunning),
  }
}

const answerMs = 5_000

/** A machine may be busy; what is wrong for good is told by then. */
const withinMs = 60_000

/** Waits until a Worker says that it can serve. @throws {StackError} it has ended, or has not said so in time */
export async function waitUntilHealthy({ url, isRunning }: RunningWorker): Promise<void> {
  let fault: string | undefined
  const isHealthy = async () => {
    fault = await healthFault(url)
    if (fault !== undefined && !isRunning()) throw unhealthy()
    return fault === undefined
  }
  const unhealthy = () => new StackError(`The Worker is not healthy ${fault}`)
  await until(isHealthy, { everyMs: 200, withinMs, late: unhealthy })
}

async function healthFault(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerMs) })
    const text = await response.text()
    return response.ok ? undefined : `(${response.status}): ${text.slice(0, 500)}`
  } catch (error) {
    return `(no answer): ${describe(error)}`
  }
}
