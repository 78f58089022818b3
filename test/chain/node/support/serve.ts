import { createConfigKeys } from '../../../../src/keys/stored-keys.ts'
import { createNodeRoutes } from '../../../../src/node/route.ts'
import { createNodeService, type NodeServiceOptions } from '../../../../src/node/service.ts'
import { hashKey } from '../../../../src/runtime/bearer.ts'
import { type Clock, systemClock } from '../../../../src/runtime/clock.ts'
import type { LogEvent } from '../../../../src/runtime/log.ts'

export type Served = Awaited<ReturnType<typeof serve>>

export type Answer = { result?: never; error?: { code: number; message: string; data?: unknown } }

export const testKey = 'a-key-of-the-tests'

/** Serves these nodes in this process, over HTTP as far as requests and responses go. */
export async function serve(
  urls: readonly string[],
  chainId = 31,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  clock: Clock = systemClock,
  checks: Pick<NodeServiceOptions, 'mining' | 'comparesAnswers' | 'shared'> = {},
) {
  const logged: LogEvent[] = []
  const shared = { clock, waitUntil: () => {}, log: (event: LogEvent) => logged.push(event) }
  const service = createNodeService({ chainId, urls, fetch, ...checks, ...shared })
  const keys = createConfigKeys([hashKey(testKey)], chainId)
  const app = createNodeRoutes({ keys, services: new Map([[chainId, service]]), ...shared })
  const url = `http://service.test/${testKey}`
  const json = { 'content-type': 'application/json' }
  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = json,
  ): Promise<Response> => await app.request(url, { method: 'POST', headers, body })
  return {
    service,
    logged,
    /** Posts a raw body with the key in the address. */
    post,
    async rpc(method: string, params: readonly unknown[] = []) {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return (await response.json()) as Answer
    },
    /** For clients that take a function in `fetch`'s place. */
    fetch: async (input: string | URL | Request, init?: RequestInit) =>
      await app.request(input, init),
    url,
  }
}
