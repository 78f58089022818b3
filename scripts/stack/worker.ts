import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from '../contracts/deploy.ts'
import { startWorkerd } from '../dev/workerd.ts'
import { root } from './folder.ts'
import type { ChainNode } from './node.ts'
import { children, isRunning, type ProcessId } from './process-id.ts'
import type { Processes } from './processes.ts'
import { StackError } from './report.ts'
import { hashRpcKey, type Secrets } from './secrets.ts'

/** The Worker's configuration, as its bindings and as `.dev.vars` hold it: all of it is text. */
export type WorkerVariables = Record<string, string>

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
}): WorkerVariables {
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
    OPERATOR_TOKEN: secrets.OPERATOR_TOKEN,
    RPC_KEY_HASHES: hashRpcKey(secrets.RPC_KEY),
    PREFLIGHT: 'on',
    ...overrides,
  }
}

/** Cloudflare's tools stay off the network and say nothing of themselves. */
export const quietTools = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_LOG: 'error',
  WRANGLER_WRITE_LOGS: 'false',
  // With the banner comes a look at the registry for a newer wrangler.
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/**
 * Bundles the Worker, or the one that another configuration describes, as a deployment would. When the
 * signal aborts, it rejects once wrangler is gone.
 *
 * @throws {StackError} with wrangler's own words when it does not build
 */
export async function bundleWorker(
  folder: string,
  signal?: AbortSignal,
  config = join(root, 'wrangler.toml'),
): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const child = spawn(
    process.execPath,
    [wrangler, 'deploy', '--dry-run', '--outdir', folder, '--config', config],
    {
      cwd: root,
      env: { ...process.env, ...quietTools, ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const kill = () => child.kill()
  signal?.addEventListener('abort', kill)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  signal?.removeEventListener('abort', kill)
  if (code !== 0) throw new StackError(`The Worker does not build:\n${output.trim()}`)
}

export type RunningWorker = {
  url: string
  /** Runs the Worker's scheduled handler, as Cloudflare does every minute. */
  wake: () => Promise<void>
  /** Whether workerd still runs. */
  isRunning: () => boolean
  stop: () => Promise<void>
}

/** Serves the bundled Worker with what wrangler.toml binds to it, on the loopback address. */
export async function runWorker({
  bundle,
  objects,
  port,
  variables,
  processes,
  onLine,
}: {
  bundle: string
  /** Where Durable Objects keep their rows. */
  objects: string
  port: number
  variables: WorkerVariables
  processes: Processes
  /** A line that the Worker wrote. */
  onLine: (line: string) => void
}): Promise<RunningWorker> {
  const { worker, cron } = await readConfiguration(variables)
  const script = join(bundle, 'worker.js')
  const known = new Set(children().map(({ pid }) => pid))
  const miniflare = startWorkerd({
    objects,
    port,
    onLine,
    workers: [
      {
        ...worker,
        modulesRoot: bundle,
        modules: [{ type: 'ESModule', path: script, contents: readFileSync(script, 'utf8') }],
      },
    ],
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
      await fetcher.scheduled({ cron })
    },
    isRunning: recording.isRunning,
    stop: () => miniflare.dispose(),
  }
}

/**
 * workerd outlives a killed parent and keeps its port, so it is written down as soon as it is there,
 * not when it is ready.
 */
function recordRuntime(known: ReadonlySet<number>, processes: Processes) {
  const recorded: ProcessId[] = []
  const look = () => {
    for (const child of children()) {
      if (known.has(child.pid) || recorded.some(({ pid }) => pid === child.pid)) continue
      recorded.push(child)
      processes.add({ ...child, name: 'workerd', url: '' })
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

/** wrangler.toml in Miniflare's words, with our variables alone: `.dev.vars` is for `wrangler dev`. */
export async function readConfiguration(variables: WorkerVariables) {
  // wrangler reads these when it is loaded, and it is large.
  Object.assign(process.env, quietTools)
  const { unstable_readConfig, unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  const bindings = { ...config.vars, ...variables }
  return {
    worker: { ...workerOptions, name: config.name ?? 'worker', rootPath: root, bindings },
    cron: config.triggers.crons?.[0] ?? '* * * * *',
  }
}
