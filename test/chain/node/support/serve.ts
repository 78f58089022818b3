import { hashKey } from '../../../../src/keys/api-keys.ts'
import { createConfigKeys } from '../../../../src/keys/api-keys-config.ts'
import { nodeRoutes } from '../../../../src/node/route.ts'
import { createNodeService, type NodeService } from '../../../../src/node/service.ts'
import { type Clock, systemClock } from '../../../../src/runtime/clock.ts'
import type { LogEvent } from '../../../../src/runtime/log.ts'

/** The node service in this process, over HTTP as far as requests and responses go. */
export type Served = {
  service: NodeService
  logged: LogEvent[]
  /** A raw exchange with the key in the address. */
  post: (
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ) => Promise<Response>
  /** The parsed response to one call. */
  rpc: (method: string, params?: readonly unknown[]) => Promise<Answer>
  /** For clients that take a function in `fetch`'s place. */
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  url: string
}

export type Answer = { result?: never; error?: { code: number; message: string; data?: unknown } }

export const testKey = 'a-key-of-the-tests'

/** Serves these nodes. */
export async function serve(
  urls: readonly string[],
  chainId = 31,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  clock: Clock = systemClock,
): Promise<Served> {
  const logged: LogEvent[] = []
  const shared = { clock, background: () => {}, log: (event: LogEvent) => logged.push(event) }
  const service = createNodeService({ chainId, urls, fetch, ...shared })
  const keys = createConfigKeys({ hashes: [await hashKey(testKey)], chainId })
  const app = nodeRoutes({ keys, services: new Map([[chainId, service]]), ...shared })
  const url = `http://service.test/${testKey}`
  const json = { 'content-type': 'application/json' }
  const post: Served['post'] = async (body, headers = json) =>
    await app.request(url, { method: 'POST', headers, body })
  return {
    service,
    logged,
    post,
    async rpc(method, params = []) {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return (await response.json()) as Answer
    },
    fetch: async (input, init) => await app.request(input, init),
    url,
  }
}
