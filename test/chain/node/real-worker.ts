import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { bundleWorker } from '../../../scripts/stack/worker.ts'
import { hashKey } from '../../../src/node/keys.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The whole Worker as it is deployed, in workerd, with its Durable Objects. */
export type RealWorker = {
  origin: string
  /** `{base_url}/<API_KEY>` and `{ws_url}/<API_KEY>` with a key that has no quota. */
  rpcUrl: string
  wsUrl: string
  operatorToken: string
  /** Every line it logged. */
  lines: string[]
  stop: () => Promise<void>
}

export const workerKey = 'the-key-of-the-real-worker-tests'

/** Serves these nodes; `variables` go before what a test needs by default. */
export async function startRealWorker(
  nodeUrls: readonly string[],
  variables: Record<string, string> = {},
): Promise<RealWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'real-worker-'))
  const bundle = join(folder, 'bundle')
  await bundleWorker(bundle)
  const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const operatorToken = 'the-token-of-the-operator'
  const lines: string[] = []
  const secret = (digit: string): string => `0x${digit.repeat(64)}`
  const script = join(bundle, 'worker.js')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      log: new NoOpLog(),
      logRequests: false,
      cf: false,
      telemetry: { enabled: false },
      resourcePersistencePath: join(folder, 'objects'),
      handleStructuredLogs: ({ message }) => lines.push(message),
      handleUncaughtError: (error) => lines.push(`uncaught: ${error.stack ?? error}`),
      workers: [
        {
          ...unstable_getMiniflareWorkerOptions(config).workerOptions,
          name: 'worker',
          rootPath: root,
          modulesRoot: bundle,
          modules: [{ type: 'ESModule', path: script, contents: readFileSync(script, 'utf8') }],
          bindings: {
            ...config.vars,
            ENVIRONMENT: 'development',
            CHAIN_ID: '31',
            POOL_RULES: 'anvil',
            NODE_URL: nodeUrls.join(','),
            LOAN_ADDRESS: `0x${'11'.repeat(20)}`,
            FORWARDER_ADDRESS: `0x${'22'.repeat(20)}`,
            RELAYER_MNEMONIC: 'test test test test test test test test test test test junk',
            ACCOUNT_ID_SECRET: secret('a'),
            ACCOUNT_KEY_SECRET: secret('b'),
            OPERATOR_TOKEN: operatorToken,
            RPC_KEY_HASHES: await hashKey(workerKey),
            ...variables,
          },
        },
      ],
    }),
  )
  const { origin, host } = await miniflare.ready
  return {
    origin,
    rpcUrl: `${origin}/rpc/${workerKey}`,
    wsUrl: `ws://${host}/rpc/${workerKey}`,
    operatorToken,
    lines,
    async stop() {
      await miniflare.dispose()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
