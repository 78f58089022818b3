import { startDenoRelays } from '../../../../scripts/dev/relays/deno-relays.ts'
import { assertNothingUncaught } from '../../../../scripts/dev/relays/log-line.ts'
import { startWorkerd } from '../../../../scripts/dev/workerd.ts'
import { children } from '../../../../scripts/stack/processes.ts'
import { buildWorker, servedWorker } from '../../../../scripts/stack/served/worker-build.ts'
import { hashKey } from '../../../../src/runtime/bearer.ts'

/** Starts the whole Worker as deployed: workerd with Durable Objects, or Deno with Redis. */
export type RealWorker = {
  origin: string
  /** `{base_url}/<API_KEY>` and `{ws_url}/<API_KEY>` with a key that has no quota. */
  rpcUrl: string
  wsUrl: string
  operatorToken: string
  /** Every line it logged. */
  lines: string[]
  /** Posts a body, as JSON unless it is text, to the address with the key. */
  post: (body: unknown, more?: RequestInit) => Promise<Response>
  /** The processes that serve it. */
  runtimes: readonly number[]
  /** The inspector of workerd's isolates; undefined on Deno. */
  inspectorUrl?: string | undefined
  stop: () => Promise<void>
}

export const workerKey = 'the-key-of-the-real-worker-tests'

const operatorToken = 'the-token-of-the-operator'

/**
 * Serves these nodes; `variables` go before what a test needs by default. `SERVED_BY=deno` serves
 * by Deno: what a client sees is the same.
 */
export async function startRealWorker(
  nodeUrls: readonly string[],
  variables: Record<string, string> = {},
): Promise<RealWorker> {
  const lines: string[] = []
  const note = (line: string) => lines.push(line)
  const before = children().map(({ pid }) => pid)
  const environment = { ...(await defaults(nodeUrls)), ...variables }
  const served =
    process.env.SERVED_BY === 'deno'
      ? await startDenoRelays({ variables: environment, workers: 1, onLine: note })
      : await startWorkerd({
          isInspected: true,
          onLine: note,
          workers: [servedWorker(await buildWorker(), environment)],
        })
  const { url: origin } = served
  const rpcUrl = `${origin}/rpc/${workerKey}`
  return {
    origin,
    ...('inspectorUrl' in served && { inspectorUrl: served.inspectorUrl }),
    async stop() {
      await served.stop()
      assertNothingUncaught(lines)
    },
    runtimes: children().flatMap(({ pid }) => (before.includes(pid) ? [] : [pid])),
    post: (body, more) =>
      fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...more,
      }),
    rpcUrl,
    wsUrl: rpcUrl.replace(/^http/, 'ws'),
    operatorToken,
    lines,
  }
}

async function defaults(nodeUrls: readonly string[]): Promise<Record<string, string>> {
  const secret = (digit: string): string => `0x${digit.repeat(64)}`
  return {
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
    RPC_KEY_HASHES: hashKey(workerKey),
  }
}
