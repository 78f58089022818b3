import { parseConfig } from '../../../src/compose/config.ts'
import { ConfigError } from '../../../src/compose/environment.ts'
import { hashKey } from '../../../src/runtime/bearer.ts'
import type { Deployment } from '../../contracts/deploy.ts'
import { until } from '../../dev/wait.ts'
import { healthFindings } from '../../ops/doctor.ts'
import type { ChainNode } from '../chain/node.ts'
import { isRunning, type Processes } from '../processes.ts'
import { StackError } from '../report.ts'
import type { Secrets } from '../secrets.ts'
import { servedWorker, type WorkerBuild } from './worker-build.ts'

type Configured = {
  secrets: Secrets
  node: Pick<ChainNode, 'chain' | 'isAnvil'>
  nodeUrls: string[]
  deployment: Pick<Deployment, 'loan' | 'forwarder'>
  /** Override all others, and come from the environment. */
  overrides: Record<string, string>
}

/** Gives what a local Worker needs to know. @throws {StackError} it would not serve with it */
export async function workerVariables(stack: Configured): Promise<Record<string, string>> {
  const { node, nodeUrls, deployment, overrides } = stack
  const { RPC_KEY, ...secrets } = stack.secrets
  const variables = {
    ENVIRONMENT: 'development',
    CHAIN_ID: `${node.chain.id}`,
    POOL_RULES: node.isAnvil ? 'anvil' : 'rootstock',
    NODE_URL: nodeUrls.join(','),
    LOAN_ADDRESS: deployment.loan,
    FORWARDER_ADDRESS: deployment.forwarder,
    ...secrets,
    RPC_KEY_HASHES: await hashKey(RPC_KEY),
    PREFLIGHT: 'on',
    ...overrides,
  }
  try {
    parseConfig(variables)
  } catch (error) {
    if (error instanceof ConfigError) throw new StackError(error.message.replaceAll('; ', '\n'))
    throw error
  }
  return variables
}

export type RunningWorker = Awaited<ReturnType<typeof runWorker>>

/** Holds what both runtimes are started with; `onLine` gets each line of output. */
export type Serving = {
  port: number
  variables: Record<string, string>
  processes: Processes
  onLine: (line: string) => void
}

/** Serves the Worker with what wrangler.toml binds to it, on the loopback address. */
export async function runWorker(
  { port, variables, processes, onLine }: Serving,
  { build, objects }: { build: WorkerBuild; objects: string },
) {
  // It brings Miniflare, which is as large as all else that a start loads: one that is refused
  // needs none.
  const { startWorkerd } = await import('../../dev/workerd.ts')
  const {
    url,
    processes: own,
    getWorker,
    stop,
  } = await startWorkerd({
    objects,
    port,
    onLine,
    workers: [servedWorker(build, variables)],
    onSpawned: ({ pid }) => processes.add(pid, 'workerd'),
  })
  const fetcher = await getWorker()
  return {
    url,
    async wake() {
      await fetcher.scheduled({ cron: build.cron })
    },
    isRunning: () => own.some(isRunning),
    stop,
  }
}

/** Waits until a Worker can serve. @throws {StackError} it has ended, or is too late */
export async function waitUntilHealthy({ url, isRunning }: RunningWorker): Promise<void> {
  let faults: string[] = []
  const unhealthy = () => new StackError(`The Worker is not healthy: ${faults.join('\n')}`)
  const isHealthy = async () => {
    const bad = (await healthFindings(url)).filter(({ state }) => state === 'bad')
    faults = bad.map(({ says }) => says)
    if (faults.length > 0 && !isRunning()) throw unhealthy()
    return faults.length === 0
  }
  // A machine may be busy; what is wrong for good is told by then.
  await until(isHealthy, { everyMs: 200, withinMs: 60_000, late: unhealthy })
}
